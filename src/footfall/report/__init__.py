"""Pictures, tables and plots of what Footfall made."""
