"""Batched maths without bodies: quaternions, planar poses, splines, filters."""
