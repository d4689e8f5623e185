"""Many clips on one character: generated default clips now, users' folders next."""
