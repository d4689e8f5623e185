"""Generate the default clips from published and population statistics."""
