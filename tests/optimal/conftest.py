"""The walks and the yard that plans are tried with."""

from tests.plan.fixtures import takes, walks, yard

__all__ = ["takes", "walks", "yard"]
