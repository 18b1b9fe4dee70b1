"""Benchmarks: the paper's experiments as a protocol that runs on any task, and the demonstration.

From what is wanted to what is shown:

- ``method``: what is compared, ``estimator[+signals][/strategy][@calibration]``;
  ``experiments``: which methods meet which tasks at which sizes, as runs
- ``run``: one task, method and seed, replayed into rows of metrics, with ``cold_fit`` (every size
  fitted from scratch) and ``shared_calibration`` (one calibration per task and seed)
- ``coverage``: one draw in which intervals are checked from the first label on
- ``conduct``: a whole experiment, by ``parallel`` (processes) and ``finished_runs`` (what need not
  be run again); ``summary``: mean and deviation over seeds
- ``surface_stats``, ``simple_setting``: the two parts of the paper's appendix that need no runs
- ``sections``, ``coverage_section``: tables and words for terminal and page; ``figures``;
  ``results_page``: Markdown; ``paper``: what the paper prints; ``provenance``: code, machine and
  date of a result
- ``demo``: the whole assay that ``assay demo`` shows
"""
