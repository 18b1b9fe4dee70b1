"""A first look at rows that nobody has described: what they are, and where a service fails."""
