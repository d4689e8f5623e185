"""Corridor maps: how much room there is on the floor, and the routes through it."""
