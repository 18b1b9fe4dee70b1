"""Metrics: how far a surface is from the gold, as the paper measures it."""
