"""Services: where predictions come from. One kind per file."""
