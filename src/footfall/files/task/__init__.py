"""Task files and the paths that tasks follow: TOML, SVG, CSV."""
