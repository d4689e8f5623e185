"""Constants of nature and of bodies that several rooms share."""

from __future__ import annotations

GRAVITY = 9.81
"""Free fall, m/s²."""
MEAN_LEG_M = 0.824
"""Thigh plus shank, the mean of 47 performers."""
