"""The studio's server: scenes, tasks, plans and live characters for a browser."""
