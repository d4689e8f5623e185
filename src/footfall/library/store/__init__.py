"""What a library keeps on disk: manifest, index, addressed caches and their locks."""
