"""Many clips on one character: users' folders, sets from the web, generated default clips."""
