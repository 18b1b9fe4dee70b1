"""The Gaussian process of ``anova-gp``."""
