"""What touches what: feet, boxes, segments and whole bodies against a scene."""
