"""Clip libraries on one character: store, build, fetch, default clips."""
