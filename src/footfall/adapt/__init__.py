"""Adapt clips: feet on the ground, editing, generated steps, other characters."""
