"""Strategies: which instance is worth a label next, one file each."""
