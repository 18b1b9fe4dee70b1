"""Attributes that are read off a text: exact ones, topics, and what a tagger says of it."""
