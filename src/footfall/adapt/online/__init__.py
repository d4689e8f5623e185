"""Retargeting frame by frame, for motions that are made while they play."""
