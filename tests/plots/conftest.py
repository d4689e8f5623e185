"""The walks and the yard that plans are tried with."""

from tests.verbs.fixtures import takes, walks, yard

__all__ = ["takes", "walks", "yard"]
