"""Search algorithms over plain arrays, independent of bodies."""
