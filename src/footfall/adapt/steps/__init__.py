"""Generated steps: footsteps, the paths of feet over them, and standing poses."""
