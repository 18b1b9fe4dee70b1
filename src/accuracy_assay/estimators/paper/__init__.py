"""The estimators of the paper."""
