"""Scene files: TOML, GLB and OBJ to a `Scene` and back."""
