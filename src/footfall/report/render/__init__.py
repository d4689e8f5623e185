"""Pictures and films of bodies, drawn by a small software renderer."""
