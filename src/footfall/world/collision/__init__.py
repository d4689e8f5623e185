"""Collision queries: feet, boxes, segments and whole bodies against a scene."""
