"""How many more labels a goal takes."""
