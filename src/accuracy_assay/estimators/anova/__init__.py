"""``anova-gp``, the default estimator."""
