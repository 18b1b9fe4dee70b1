"""The values of a surface are those of a surface, or they are refused by name."""

from typing import Any

import numpy as np
import pytest
from toy_surface import SPACE, toy

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.errors import InputError


def test_frame_has_one_row_per_arm_in_the_documented_columns() -> None:
    frame = toy().to_frame()
    numbers = ["n", "correct", "support", "mean", "sd", "lower", "upper"]
    assert frame.columns == ["sex", "age", *numbers, "status"]
    assert frame.row(1) == ("F", "old", 4.0, 1.0, 20.0, 0.25, 0.04, 0.1, 0.4, "estimated")


def test_status_tells_what_is_known() -> None:
    assert toy().to_frame().get_column("status").to_list() == [
        "estimated",
        "estimated",
        "insufficient evidence",
        "not in pool",
    ]


def test_an_arm_that_labels_have_hardly_narrowed_has_insufficient_evidence() -> None:
    # A logit that may lie 0.2 from the level leaves a rate of 0.8 a deviation of 0.032.
    narrow = {"sd": np.full(4, 0.03), "lower": np.full(4, 0.75), "upper": np.full(4, 0.85)}
    told = {"mean": np.full(4, 0.8), "support": np.full(4, 10.0), **narrow}
    assert (toy(**told).status == 0).all()
    assert toy(**told).tells_arms_apart
    hardly = toy(**told, details={"prior_logit_sd": 0.2})
    assert (hardly.status == 1).all()
    assert not hardly.tells_arms_apart
    assert "Too few labels to tell arms apart" in hardly._repr_html_()
    assert toy(**told, details={"prior_logit_sd": 0.5}).tells_arms_apart


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
