"""NumPy archives: Footfall's own, and AMASS (SMPL) ones."""
