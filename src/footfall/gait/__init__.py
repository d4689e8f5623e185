"""Describe how a body moves: contacts, footprints, flights, strides, tags, path abstraction."""
