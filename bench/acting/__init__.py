"""How bodies act in the default clips, beside what people do."""
