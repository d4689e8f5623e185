"""Batches under stress: what they cost, what killing costs, and how they scale."""
