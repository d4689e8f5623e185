"""Many clips on one figure: generated default clips now, users' folders next."""
