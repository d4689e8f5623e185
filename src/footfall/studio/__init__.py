"""Serve the studio: scenes, tasks, plans and live characters for a browser."""
