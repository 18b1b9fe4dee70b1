"""Fixtures of the benchmarks' own tests."""

from command_line import assay

__all__ = ["assay"]
