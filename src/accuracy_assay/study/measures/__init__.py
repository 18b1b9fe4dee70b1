"""Measures other than accuracy."""
