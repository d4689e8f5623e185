"""Whole bodies put over their feet: hips, legs and arms, free flight, limbs that keep clear."""
