"""P(a|x): joint distributions over attribute combinations."""
