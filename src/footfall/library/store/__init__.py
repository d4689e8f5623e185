"""Storage of a library: manifest, index, addressed arrays, the lock of its writer."""
