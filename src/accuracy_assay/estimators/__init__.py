"""Estimators: from labelled instances to an accuracy surface, one file each."""
