"""The world a body moves in: ground, obstacles, scenes, collision queries, corridor maps."""
