"""One foot from stance to stance: how it stands and rolls, and how it swings in between."""
