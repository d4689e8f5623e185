"""Scripts for those who develop Footfall: distributions, checks, reference pages, test clips."""
