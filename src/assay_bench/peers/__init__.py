"""Published estimators of others, to compare with."""
