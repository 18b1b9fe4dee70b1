"""Other measures than accuracy."""
