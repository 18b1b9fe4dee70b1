"""Calibrators: from what attribute predictors say to P(a|x), one calibrator per file."""
