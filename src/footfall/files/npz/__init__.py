"""NumPy archives: Footfall's own, and AMASS ones, which hold SMPL poses.

`archive.py` reads arrays safely (never pickles); an archive's keys say which kind it is.
"""
