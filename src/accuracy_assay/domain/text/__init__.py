"""Attributes derived from texts: by exact rules, as topics, or by a tagger."""
