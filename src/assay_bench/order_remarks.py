"""Why two methods of the paper stand the other way round here: reasons, with their evidence.

A reason is printed only where its pair does differ. A pair without a reason is said to have none.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

__all__ = ["REASONS", "Difference", "Reason", "reason_of"]

_SYSTEM = "the-papers-system.md#does-a-supervised-scale-cap-what-labels-say"
_ESTIMATORS = "estimators.md#error-on-real-tasks"


@dataclass(frozen=True, slots=True)
class Difference:
    """A pair of methods whose order here is not the paper's.

    Parameters
    ----------
    better, worse
        The method with the smaller error here, and the other.
    metric
        Which error it is.
    task
        Where it is so.
    is_guessed
        Whether the attributes of that task are guessed.
    """

    better: str
    worse: str
    metric: str
    task: str
    is_guessed: bool


@dataclass(frozen=True, slots=True)
class Reason:
    """Why some pairs differ.

    Parameters
    ----------
    pairs
        (better here, worse here).
    text
        One sentence, with the page that holds its evidence.
    metrics
        Errors that it speaks of.
    guessed_only
        Whether it holds only where attributes are guessed.
    """

    pairs: frozenset[tuple[str, str]]
    text: str
    metrics: tuple[str, ...] = ("macro_mse", "worst_mse")
    guessed_only: bool = False

    def explains(self, difference: Difference) -> bool:
        """Return whether this is the reason of ``difference``."""
        return (
            (difference.better, difference.worse) in self.pairs
            and difference.metric in self.metrics
            and (difference.is_guessed or not self.guessed_only)
        )


def _pairs(better: Iterable[str], worse: Iterable[str]) -> frozenset[tuple[str, str]]:
    return frozenset(product(better, worse))


REASONS = (
    Reason(
        _pairs(("bern-gp", "beta-gp"), ("beta-gp-sl", "beta-gp-slp")),
        "the Dirichlet holds scales near label counts, and a small scale pulls the mean of an arm "
        "towards one half; the labels that it leaves, fitted without it, err like `bern-gp` "
        f"([measured]({_SYSTEM})). That pull helps only where the rare arms are the bad ones, as "
        "on `faces`; and one-hot attribute values leave little of the over-fitting that it is "
        f"to cure ([figures]({_ESTIMATORS})).",
    ),
    Reason(
        _pairs(("beta-gp-sl",), ("beta-gp-slp",)),
        "pooling gives a sparse arm the counts of its neighbours at its own small scale, which "
        f"pulls its mean further towards one half ([figures]({_ESTIMATORS})).",
    ),
    Reason(
        _pairs(("bern-gp", "beta-gp"), ("constant", "beta-independent")),
        "one-hot attribute values take these two well below what the authors' code, which has "
        f"plain numbers, was measured at ([figures]({_ESTIMATORS})), and the paper's learning "
        "rate leaves fits far from their end ([measured](the-papers-system.md#measured)). The "
        "paper's words, that smooth estimates beat separate arms, agree with what is found here.",
    ),
    Reason(
        _pairs(("beta-independent",), ("constant",)),
        "the error of a constant is the spread of the true arms, and where that is larger than "
        "the noise of an arm's few labels each arm alone is better, as on the paper's MF-CelebA.",
    ),
    Reason(
        _pairs(("beta-independent",), ("bern-gp", "beta-gp", "beta-gp-sl", "beta-gp-slp")),
        "a guessed row counts in several arms, so that even separate arms share labels: with the "
        "exact attributes of the same task (`-exact`) the error of `beta-independent` is larger.",
        guessed_only=True,
    ),
)
"""The first that explains a difference is its reason."""


def reason_of(difference: Difference) -> Reason | None:
    """Return why a pair differs; None if that is not known."""
    return next((reason for reason in REASONS if reason.explains(difference)), None)
