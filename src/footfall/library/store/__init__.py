"""What a library keeps on disk: manifest, index, addressed arrays, the lock of its writer."""
