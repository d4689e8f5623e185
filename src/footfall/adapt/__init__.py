"""Clip to clip: putting motion on another character."""
