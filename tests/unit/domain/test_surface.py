"""What a surface tells, checked on numbers that can be worked out by hand."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from toy_surface import SPACE, toy

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError, UnknownNameError


def test_worst_and_best_leave_out_arms_that_the_pool_lacks() -> None:
    assert toy().worst(3).get_column("mean").to_list() == [0.25, 0.5, 0.9]
    assert toy().best(1).get_column("mean").to_list() == [0.9]
    assert toy().worst().height == toy().best().height == 3
    assert toy().worst(0).height == 0


def test_worst_goes_by_the_upper_end_and_by_the_mean_where_asked() -> None:
    surface = toy(upper=np.array([0.95, 0.97, 0.6, 0.9]))
    assert surface.worst_first().tolist() == [2, 0, 1]
    assert surface.worst_first("mean").tolist() == [1, 2, 0]
    assert surface.worst().get_column("mean").to_list() == [0.5, 0.9, 0.25]
    assert surface.worst(by="mean").get_column("mean").to_list() == [0.25, 0.5, 0.9]


def test_best_goes_by_the_lower_end_and_by_the_mean_where_asked() -> None:
    surface = toy(lower=np.array([0.0, 0.1, 0.2, 0.0]))
    assert surface.best().get_column("mean").to_list() == [0.5, 0.25, 0.9]
    assert surface.best(by="mean").get_column("mean").to_list() == [0.9, 0.5, 0.25]


def test_a_fully_labelled_arm_of_few_rows_does_not_head_the_worst_or_the_best() -> None:
    pool = {"target": "pool"}
    found = toy(
        details=pool,
        support=np.array([5.0, 80.0, 60.0, 5.0]),
        n=np.array([5.0, 20.0, 20.0, 5.0]),
        correct=np.array([0.0, 4.0, 19.0, 5.0]),
        mean=np.array([0.0, 0.2, 0.95, 1.0]),
        sd=np.array([0.0, 0.05, 0.02, 0.0]),
        lower=np.array([0.0, 0.1, 0.9, 1.0]),
        upper=np.array([0.0, 0.3, 1.0, 1.0]),
    )
    assert found.worst_first().tolist() == [1, 0, 3, 2]
    assert found.best_first().tolist() == [2, 3, 1, 0]
    assert found.worst_first("mean").tolist() == [0, 1, 2, 3]
    assert replace(found, details={}).worst_first().tolist()[0] == 0


def test_equal_ends_are_ordered_by_mean_and_then_by_arm() -> None:
    same = toy(support=np.full(4, 9.0), lower=np.zeros(4), upper=np.ones(4))
    assert same.worst_first().tolist() == [1, 2, 3, 0]
    assert same.best().get_column("mean").to_list() == [0.9, 0.5, 0.5, 0.25]
    assert same.best().get_column("age").to_list() == ["young", "young", "old", "old"]


def test_arms_with_fewer_than_five_pool_rows_come_last() -> None:
    rare = toy(support=np.array([4.0, 4.9, 5.0, 0.0]))
    assert rare.worst_first().tolist() == [2, 1, 0]
    assert rare.worst_first("mean").tolist() == [2, 1, 0]
    assert rare.best().get_column("mean").to_list() == [0.5, 0.9, 0.25]


def test_an_order_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"by must be one of \[upper, mean\]; got 'lower'"):
        toy().worst(by="lower")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match=r"by must be one of \[lower, mean\]; got 'upper'"):
        toy().best(by="upper")  # type: ignore[arg-type]


def test_one_arm_is_read_as_it_stands() -> None:
    found = toy().at(sex="F", age="old")
    assert (found.mean, found.sd, found.lower, found.upper) == (0.25, 0.04, 0.1, 0.4)
    assert (found.n, found.support, found.level) == (4.0, 20.0, 0.9)
    assert str(found) == (
        "25.0% of rows like these (90% interval 10.0% to 40.0%; 4 labels, 20 rows)"
    )


def test_an_arm_outside_the_pool_can_be_read_too() -> None:
    assert toy().at(sex="M", age="old").mean == 0.5


def test_an_average_is_weighted_by_the_pool() -> None:
    found = toy().at(sex="F")
    assert found.mean == pytest.approx((60 * 0.9 + 20 * 0.25) / 80)
    assert found.n == 14.0
    assert found.support == 80.0
    assert toy().overall.mean == pytest.approx((60 * 0.9 + 20 * 0.25 + 20 * 0.5) / 100)
    several = toy().at(age=["young", "old"])
    assert several.mean == pytest.approx(toy().overall.mean)


def test_independent_arms_add_their_variances() -> None:
    found = toy().at(sex="F")
    sd = np.hypot(0.75 * 0.03, 0.25 * 0.04)
    assert found.sd == pytest.approx(sd)
    assert found.lower == pytest.approx(found.mean - 1.6448536 * sd, abs=1e-6)
    assert found.upper == pytest.approx(found.mean + 1.6448536 * sd, abs=1e-6)


def test_joint_draws_decide_the_spread_of_an_average() -> None:
    wave = np.linspace(-0.1, 0.1, 101)
    together = np.stack([wave, wave, wave, wave], axis=1).astype(np.float32) + 0.5
    against = np.stack([wave, -3 * wave, wave, wave], axis=1).astype(np.float32) + 0.5
    assert toy(draws=together).at(sex="F").sd == pytest.approx(wave.std(), rel=1e-4)
    assert toy(draws=against).at(sex="F").sd == pytest.approx(0.0, abs=1e-6)
    found = toy(draws=together).at(sex="F")
    assert found.mean == pytest.approx(0.7375)
    assert (found.lower, found.upper) == pytest.approx((0.7375 - 0.09, 0.7375 + 0.09), abs=1e-6)


def test_marginal_has_one_row_a_value_of_the_pool() -> None:
    frame = toy().marginal("sex")
    assert frame.columns == ["sex", "n", "support", "mean", "sd", "lower", "upper"]
    assert frame.get_column("sex").to_list() == ["F", "M"]
    assert frame.get_column("mean").to_list() == pytest.approx([0.7375, 0.5])
    both = toy().marginal("age", "sex")
    assert both.select("age", "sex").rows() == [("young", "F"), ("young", "M"), ("old", "F")]
    assert both.get_column("mean").to_list() == [0.9, 0.5, 0.25]


def test_a_mix_of_rows_and_a_mix_of_weights_say_the_same() -> None:
    rows = pl.DataFrame({"sex": ["F", "F", "F", "M"], "other": [1, 2, 3, 4]})
    weights = pl.DataFrame({"sex": ["F", "M"], "weight": [75, 25]})
    expected = 0.75 * 0.7375 + 0.25 * 0.5
    for mix in (rows, weights, weights.to_pandas(), rows.to_arrow()):
        assert toy().under(mix).mean == pytest.approx(expected)


def test_a_mix_may_ask_for_an_arm_that_the_pool_lacks() -> None:
    mix = pl.DataFrame({"sex": ["M"], "age": ["old"]})
    assert toy().under(mix).mean == 0.5


def test_weight_may_be_an_attribute() -> None:
    space = AttributeSpace((Attribute("weight", (50, 90)), SPACE.attributes[1]))
    mix = pl.DataFrame({"weight": [50, 50, 90]})
    assert toy(space=space).under(mix).mean == pytest.approx((2 * 0.7375 + 0.5) / 3)


@pytest.mark.parametrize(
    ("mix", "message"),
    [
        ({"gender": ["F"]}, "column of mix must be one of .*; got 'sex'"),
        ({"sex": ["X"]}, "value of attribute 'sex' must be one of .*; got 'X'"),
        ({"sex": ["F"], "weight": [-1.0]}, "at least 0 and not all 0; got -1.0"),
        ({"sex": ["F"], "weight": [0.0]}, "not all 0"),
        ({"sex": ["F"], "weight": [float("nan")]}, "must be finite"),
        ({"sex": ["F"], "weight": ["much"]}, "weight of mix must be a number; got String"),
        ({"sex": []}, "mix must have at least one row"),
    ],
)
def test_a_mix_that_makes_no_sense_is_refused(mix: dict[str, list[Any]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        toy().under(pl.DataFrame(mix))


def test_a_mix_of_an_unlisted_arm_is_refused() -> None:
    partial = AccuracySurface(SPACE, np.array([0]), *np.full((7, 1), 0.5))
    with pytest.raises(InputError, match=r"mix must use listed arms; got {'sex': 'M'}"):
        partial.under(pl.DataFrame({"sex": ["M"]}))
    with pytest.raises(InputError, match=r"at\(...\) must name a listed arm; got {'sex': 'M'}"):
        partial.at(sex="M")


def test_an_unknown_attribute_or_value_is_named() -> None:
    with pytest.raises(UnknownNameError, match="attribute must be one of"):
        toy().at(colour="red")
    with pytest.raises(UnknownNameError, match="got 'f'"):
        toy().at(sex="f")
    with pytest.raises(UnknownNameError, match="got 'colour'"):
        toy().marginal("colour")


def test_build_lists_the_arms_and_keeps_numbers_in_bounds() -> None:
    seen = Observations.from_instances(
        Support.count(SPACE, None, [0, 0, 3]), Affiliation.exact([0]), [1.0]
    )
    built = AccuracySurface.build(seen, mean=1.0 + 1e-12, sd=0.1, lower=-0.2, upper=np.ones(4))
    assert built.mean.tolist() == [1.0] * 4
    assert built.lower.tolist() == [0.0] * 4
    assert built.n.tolist() == [1.0, 0.0, 0.0, 0.0]
    assert built.support.tolist() == [2.0, 0.0, 0.0, 1.0]
    assert built.n_labels == 1.0


def test_an_interval_is_stretched_to_hold_a_mean_that_is_beyond_its_quantiles() -> None:
    support = Support.count(SPACE, None, [0, 1, 2, 3])
    observations = Observations.from_instances(support, Affiliation.exact([0]), [1.0])
    surface = AccuracySurface.build(observations, mean=0.6, sd=0.1, lower=0.7, upper=0.8)
    assert (surface.lower == 0.6).all()
    assert (surface.upper == 0.8).all()


def test_repr_is_one_short_line_and_makes_no_draws() -> None:
    def draws() -> Any:
        raise AssertionError("the draws are not needed")

    assert repr(toy(draws=draws)) == (
        "<AccuracySurface of sex x age: 4 arms, 14 labels, accuracy 69.0% of rows like these>"
    )


def test_a_surface_shows_itself_in_a_notebook() -> None:
    assert str(toy().overall) in toy()._repr_html_()


def test_a_surface_has_a_card() -> None:
    card = toy().card("org/model", task="asr", dataset="calls")
    assert card.startswith('---\nmodel-index:\n- name: "org/model"\n')
    assert 'name: "calls"' in card


def test_a_surface_writes_its_own_report(tmp_path: Path) -> None:
    page = toy(details={"estimator": "by hand"}).report(tmp_path / "toy.html")
    text = page.read_text(encoding="utf-8")
    assert "<title>toy" in text
    assert "by hand" in text
    assert "My service" in toy().report(tmp_path / "b.html", "My service").read_text()
    toy().report(tmp_path / "c.html", figures=tmp_path / "figures")
    assert (tmp_path / "figures" / "slices.pdf").exists()
    with pytest.raises(InputError, match="existing folder"):
        toy().report(tmp_path / "none" / "toy.html")


def test_weights_are_the_shares_of_a_question() -> None:
    surface = toy()
    assert surface.weights().tolist() == [0.6, 0.2, 0.2, 0.0]
    assert surface.weights({"sex": "F"}).tolist() == [0.75, 0.25, 0.0, 0.0]
    mix = pl.DataFrame({"sex": ["F", "M"], "weight": [1.0, 4.0]})
    assert surface.weights(mix=mix) == pytest.approx([0.15, 0.05, 0.8, 0.0])
    assert surface.average(surface.weights(mix=mix)) == surface.under(mix)


def test_weights_are_one_per_listed_arm() -> None:
    with pytest.raises(InputError, match=r"weight must have shape \(4,\); got \(3,\)"):
        toy().average(np.ones(3))


def test_with_details_says_more_and_makes_the_draws_but_once() -> None:
    made: list[int] = []

    def draw() -> np.ndarray:
        made.append(1)
        return np.full((4, 4), 0.5, dtype=np.float32)

    surface = toy(details={"a": 1}, draws=draw)
    more = surface.with_details(b=2)
    assert more.details == {"a": 1, "b": 2}
    assert more.joint_draws is surface.joint_draws
    assert made == [1]
