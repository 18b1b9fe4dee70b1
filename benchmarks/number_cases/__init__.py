"""The cases of ``benchmarks/same_numbers.py``: each entry point that users type, with its numbers.

``worlds`` makes and loads rows, ``kept`` turns answers into arrays, and the other modules list
the cases: ``fits`` (every estimator and strategy on the tasks), ``tables`` (what rows are and what
their columns mean), ``questions`` (what is asked of rows and surfaces), ``sessions`` (an assay
with people) and ``commands`` (the command line).
"""
