"""The maths of the paper's estimators."""
