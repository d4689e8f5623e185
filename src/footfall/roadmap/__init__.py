"""Foothold roadmaps: from A to B over footholds (Choi, Lee & Shin 2003)."""
