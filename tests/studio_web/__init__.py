"""Tests of the studio's page in a browser."""
