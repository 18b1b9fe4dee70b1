"""The paper's estimators keep the laws of `accuracy_assay.testing`."""

from estimator_cases import PAPER_FAMILY, laws_of_all

globals().update(laws_of_all(PAPER_FAMILY))
