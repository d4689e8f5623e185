"""How a body goes: contacts, footprints, flight, strides, tags, and the path abstracted."""
