"""The walks and the yard that plans are tried with."""

from tests.verbs.fixtures import few_takes, takes, walks, yard

__all__ = ["few_takes", "takes", "walks", "yard"]
