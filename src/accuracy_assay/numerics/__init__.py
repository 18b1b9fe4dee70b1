"""Mathematics on arrays: nothing here knows attributes, pools or files.

``gp`` and ``intervals`` serve ``anova-gp``, ``paper`` the paper's estimators, ``joint``
calibration. They do not import one another, and each opens with its notation. What they share is
beside them.
"""
