"""Labelling on the page."""
