"""Worlds: ground, obstacles, scenes, collision queries, corridor maps."""
