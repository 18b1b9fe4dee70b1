"""Benchmarks: the paper's experiments as a protocol that runs on any task."""
