"""Draw diagrams and maps with matplotlib: contacts, distances, measures, scenes.

Each module draws one kind of picture; `files.py` checks its name and saves it.
"""
