"""Mathematics on arrays alone: no attribute, pool or file is known here.

``gp`` and ``intervals`` are for ``anova-gp``, ``paper`` is for the paper's estimators, ``joint``
for calibration. They do not know one another, and each opens with its notation. What they share
stands beside them.
"""
