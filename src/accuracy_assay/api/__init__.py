"""The two calls that most users need: estimate and simulate."""
