"""The paper's experiments, and ours, as a protocol that runs on any task.

A package of its own, which uses what `docs/api.md` lists of `accuracy_assay` and nothing else, as
any other package would. From what is wanted to what is shown:

- ``experiments``: which methods meet which tasks at which sizes, as runs
- ``run``: one task, method and seed, replayed into rows of metrics, with ``cold_fit`` (every size
  fitted from scratch) and ``shared_calibration`` (one calibration per task and seed)
- ``coverage``: one draw in which intervals are checked from the first label on
- ``conduct``: a whole experiment, by ``parallel`` (processes) and ``finished_runs`` (what need not
  be run again); ``summary``: mean and deviation over seeds
- ``surface_stats``, ``simple_setting``: two parts of the paper's appendix that need no runs
- ``findings``, ``tables``, ``curves``, ``figures``: what was found; ``sections``, ``page`` and
  ``templates/``: how it reads; ``paper``: what the paper prints
- ``peers``: published estimators of others; ``tasks``: the paper's data sets and other tables
"""
