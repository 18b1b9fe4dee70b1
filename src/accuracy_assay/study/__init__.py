"""A problem, and what to do with it: estimate, simulate, compare."""
