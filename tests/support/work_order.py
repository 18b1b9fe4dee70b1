"""Which tests share a worker, and which begin first.

Tests of one family compile the same programs: on one worker each is compiled and traced once. The
longest families come first, so that the workers end together.
"""

from __future__ import annotations

from xdist.scheduler import LoadFileScheduling

__all__ = ["FAMILIES", "ByFamily", "family_of", "place_of"]

FAMILIES: dict[str, tuple[str, ...]] = {
    "the paper's estimators": (
        "tests/conformance/test_paper_estimators.py",
        "tests/golden/test_simple_setting.py",
        "tests/golden/test_variational.py",
        "tests/unit/estimators/paper/",
        "tests/unit/numerics/paper/",
    ),
    "our estimator": (
        "tests/conformance/test_estimators.py",
        "tests/unit/estimators/anova/",
        "tests/unit/study/judges/",
        "tests/unit/study/plan/",
        "tests/unit/study/test_estimate.py",
        "tests/unit/study/test_simulate.py",
    ),
    "pages of the documentation": ("tests/docs/test_examples.py",),
    "calibrations": (
        "tests/conformance/test_calibrations.py",
        "tests/unit/calibration/",
        "tests/unit/numerics/joint/",
        "tests/unit/study/test_fit.py",
    ),
    "pages in a browser": ("tests/browser/",),
    "forecasts": ("tests/unit/metrics/test_labels_to_halve.py",),
    "several processes": ("tests/integration/",),
    "laws of the domain": ("tests/property/",),
    "the kernel": ("tests/golden/", "tests/unit/numerics/gp/"),
}
"""Families of files by the beginning of their paths, those that take longest first."""


def family_of(test: str) -> str:
    """Return the family of a test's id, or its file where it is of none."""
    for family, beginnings in FAMILIES.items():
        if test.startswith(beginnings):
            return family
    return test.split("::", 1)[0]


def place_of(test: str) -> int:
    """Return the place of a test's family in the order; tests of none come last."""
    names = list(FAMILIES)
    family = family_of(test)
    return names.index(family) if family in FAMILIES else len(names)


class ByFamily(LoadFileScheduling):
    """Gives whole families to the workers, in the order in which the tests were collected."""

    def _split_scope(self, nodeid: str) -> str:
        return family_of(nodeid)
