"""Least-effort motions with a proven bound (Safonova & Hodgins 2007)."""
