"""Building a library: sources found, clips made, corrected, checked and indexed."""
