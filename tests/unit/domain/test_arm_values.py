"""The values of a surface are those of a surface, or they are refused by name."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import beta as beta_distribution
from toy_surface import SPACE, toy

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import STATUSES, AccuracySurface
from accuracy_assay.errors import InputError


def test_frame_has_one_row_per_arm_in_the_documented_columns() -> None:
    frame = toy().to_frame()
    numbers = ["n", "correct", "support", "mean", "sd", "lower", "upper"]
    assert frame.columns == ["sex", "age", *numbers, "status", "in_rows"]
    assert frame.row(1) == ("F", "old", 4.0, 1.0, 20.0, 0.25, 0.04, 0.1, 0.4, STATUSES[1], None)


def test_status_tells_what_is_known() -> None:
    assert toy().to_frame().get_column("status").to_list() == [
        "estimated",
        "rests mostly on arms like it",
        "rests mostly on arms like it",
        "not in pool",
    ]


ALIKE = {
    "mean": np.full(4, 0.8),
    "sd": np.full(4, 0.03),
    "lower": np.full(4, 0.75),
    "upper": np.full(4, 0.85),
    "support": np.full(4, 1000.0),
}
"""Four arms of which the same is known, whatever it rests on."""


def with_labels(n: float, right: float, **changes: Any) -> AccuracySurface:
    return toy(**ALIKE | {"n": np.full(4, n), "correct": np.full(4, right)} | changes)


@pytest.mark.parametrize(
    ("n", "right", "rests"),
    [(0, 0, 1), (1, 1, 1), (2, 2, 1), (3, 3, 0), (8, 4, 1), (9, 4, 0), (92, 80, 0)],
)
def test_an_arm_rests_on_others_if_its_own_labels_leave_half_of_the_range_open(
    n: float, right: float, rests: int
) -> None:
    """SciPy's Beta quantiles are the oracle; the shown interval plays no part."""
    low, high = beta_distribution(right + 0.5, n - right + 0.5).ppf([0.05, 0.95])
    assert (high - low > 0.5) == bool(rests)
    assert (with_labels(n, right).status == rests).all()


def test_of_the_pool_s_own_rows_labelled_ones_are_known() -> None:
    few = {"support": np.full(4, 5.0)}
    assert (with_labels(4, 2, **few).status == 1).all()
    assert (with_labels(4, 2, **few, details={"target": "pool"}).status == 0).all()


def test_labels_are_too_few_to_tell_arms_apart_unless_an_arm_clearly_differs() -> None:
    assert with_labels(50, 40).tells_arms_apart  # arms that are known to be alike
    few = with_labels(1, 1)
    assert not few.tells_arms_apart
    assert "Too few labels to tell arms apart" in few._repr_html_()
    ends = {"lower": np.array([0.4, *ALIKE["lower"][1:]]), "mean": np.array([0.5, 0.8, 0.8, 0.8])}
    clear = with_labels(1, 1, **ends, upper=np.array([0.6, 0.85, 0.85, 0.85]))
    assert clear.side.tolist() == [-1, 1, 1, 1]
    assert clear.tells_arms_apart
    assert "Too few labels" not in clear._repr_html_()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"mean": np.array([0.9, np.nan, 0.5, 0.5])}, "mean must be finite; got nan"),
        ({"mean": np.ones(3)}, r"mean must have shape \(4,\); got \(3,\)"),
        ({"upper": np.full(4, 1.2)}, r"upper must lie in \[0, 1\]; got 1.2 in arm 0"),
        ({"sd": np.full(4, -0.1)}, "sd must be at least 0"),
        ({"lower": np.full(4, 0.99)}, "lower must be at most upper; got 0.99, upper 0.95 in"),
        ({"arms": np.array([0, 1, 2, 4])}, "arms must be numbers from 0 to 3; got 4"),
        ({"arms": np.array([-1, 1, 2, 3])}, "arms must be numbers from 0 to 3; got -1"),
        ({"arms": np.array([0, 1, 1, 3])}, "arms must increase; got 1 after 1"),
        ({"arms": np.arange(4.0)}, "arms must be a list of whole numbers; got float64"),
        ({"support": np.array([1.0, -1.0, 1.0, 1.0])}, "support must be at least 0; got -1 in"),
        ({"n": np.full(4, -1.0)}, "n must be at least 0"),
        ({"correct": np.full(4, 99.0)}, "correct must be at most n; got 99, n .* in arm 0"),
        ({"mean": np.ones(4)}, "mean must lie in its interval; got 1, lower .* in arm 0"),
        ({"level": 5.0}, "level must lie between 0 and 1; got 5.0"),
        ({"level": float("nan")}, "level must lie between 0 and 1; got nan"),
        ({"draws": np.full((5, 4), np.nan, np.float32)}, r"draws must lie in \[0, 1\]; got nan"),
        ({"draws": np.full((5, 4), 1.5, np.float32)}, r"draws must lie in \[0, 1\]; got 1.5"),
        ({"draws": np.zeros((0, 4), np.float32)}, r"shape \(S, 4\); got \(0, 4\)"),
        ({"draws": np.zeros((5, 3), np.float32)}, r"shape \(S, 4\); got \(5, 3\)"),
        (
            {"space": AttributeSpace((Attribute("status", ("a", "b")), SPACE.attributes[0]))},
            "differ from the surface's columns .*; got 'status'. Rename",
        ),
    ],
)
def test_what_cannot_be_a_surface_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        toy(**changes)


def test_a_surface_cannot_be_changed_and_compares_by_identity() -> None:
    surface = toy(memory="warm start")
    with pytest.raises(ValueError, match="read-only"):
        surface.mean[0] = 0.0
    assert surface != toy()
    assert surface.forget().memory is None
    assert surface.memory == "warm start"


def test_draws_that_are_made_later_are_looked_at_when_they_are_made() -> None:
    surface = toy(draws=lambda: np.full((5, 4), -0.5, np.float32))
    with pytest.raises(InputError, match=r"draws must lie in \[0, 1\]; got -0.5"):
        _ = surface.overall
