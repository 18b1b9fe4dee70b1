"""Every estimator of the registry keeps the laws of its kind; the paper's have their own file.

A new estimator is picked up by its line in the registry. What an estimator cannot keep to is
written down in ``estimator_cases``, with the reason.
"""

from estimator_cases import PAPER_FAMILY, laws_of_all

from accuracy_assay.registry import ESTIMATORS

globals().update(laws_of_all(name for name in ESTIMATORS if name not in PAPER_FAMILY))
