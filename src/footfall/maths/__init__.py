"""Batched maths that knows nothing of bodies: quaternions, planar poses, splines, filters."""
