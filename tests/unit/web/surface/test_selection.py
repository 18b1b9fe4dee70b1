"""A selection is read from the query, and says what it had to leave out."""

import numpy as np
import polars as pl
import pytest
from surface_world import SPACE, make_surface

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.web.surface.queries import MixQuery
from accuracy_assay.web.surface.selection import Selection, read_conditions
from accuracy_assay.web.surface.views import axes_of


def test_conditions_name_values_as_the_surface_writes_them() -> None:
    found = read_conditions(SPACE, ["age:old", "light:1", "age:young"])
    assert found == {"age": ["old", "young"], "light": [1]}


def test_names_and_values_may_hold_colons() -> None:
    space = AttributeSpace((Attribute("a", ("b:c", "d")), Attribute("a:b", ("c", "x:y"))))
    assert read_conditions(space, ["a:d", "a:b:x:y"]) == {"a": ["d"], "a:b": ["x:y"]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sex", "where must be attribute:value; got 'sex'"),
        ("colour:red", r"attribute of where must be one of \[sex, age, light\]; got 'colour'"),
        ("sex:X", "value of attribute 'sex' must be one of .*; got 'X'"),
        ("sex:", "value of attribute 'sex' must be one of .*; got ''"),
    ],
)
def test_a_condition_that_makes_no_sense_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_conditions(SPACE, [text])


def test_the_pool_and_equal_arms_are_mixes_by_name() -> None:
    surface = make_surface()
    assert Selection.of(MixQuery(), surface).mass(surface).tolist() == surface.support.tolist()
    equal = Selection.of(MixQuery(where=["sex:F"], mix="equal"), surface)
    assert equal.mass(surface).tolist() == [1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0]
    assert str(equal) == "sex F, each arm weighted equally"


def test_weights_of_one_attribute_are_a_clients_mix() -> None:
    surface = make_surface()
    selection = Selection.of(MixQuery(mix="own", weight=["light:1:1", "light:2:3"]), surface)
    mix = pl.DataFrame({"light": [1, 2], "weight": [1.0, 3.0]})
    assert selection.mass(surface) == pytest.approx(surface.weights(mix=mix) * 4.0)
    assert selection.average(surface) == surface.under(mix)
    assert selection.remarks == ()
    assert str(selection) == "under a mix of light"


@pytest.mark.parametrize("unit", [1e-300, 1e307])
def test_weights_of_any_size_count_by_their_ratios(unit: float) -> None:
    surface = make_surface()
    weights = [f"light:1:{unit}", f"light:2:{3 * unit}", f"sex:F:{unit}", f"sex:M:{unit}"]
    plain = ["light:1:1", "light:2:3", "sex:F:1", "sex:M:1"]
    made = [Selection.of(MixQuery(mix="own", weight=w), surface) for w in (weights, plain)]
    found, wanted = (each.average(surface) for each in made)
    assert found is not None
    assert wanted is not None
    assert [found.mean, found.lower] == pytest.approx([wanted.mean, wanted.lower], abs=1e-12)


def test_weights_of_several_attributes_multiply_and_the_lost_part_is_said() -> None:
    surface = make_surface(
        support=np.r_[0.0, 0.0, np.full(10, 5.0)], n=np.zeros(12), correct=np.zeros(12)
    )
    weights = ["sex:F:1", "sex:M:1", "age:young:1", "age:old:3"]
    selection = Selection.of(MixQuery(mix="own", weight=weights), surface)
    assert selection.remarks == (
        "12.5% of this mix is on combinations that no pool row has; it is left out.",
    )
    mass = selection.mass(surface).reshape(2, 3, 2).sum(axis=2)
    assert mass[0].tolist() == pytest.approx([0.0, 0.0, 3.0])
    assert mass[1].tolist() == pytest.approx([1.0, 0.0, 3.0])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([], "mix 'own' must have weights; got none"),
        (["light:1"], "value of attribute 'light' must be one of .*; got ''"),
        (["light:1:much"], "with number >= 0; got 'light:1:much'"),
        (["light:1:-2"], "with number >= 0"),
        (["light:1:inf"], "with number >= 0"),
        (["light:1:nan"], "with number >= 0"),
        (["light:1:0"], "must be finite and not all 0"),
        (["colour:red:1"], "attribute of weight must be one of"),
    ],
)
def test_weights_that_make_no_sense_are_refused(weights: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Selection.of(MixQuery(mix="own", weight=weights), make_surface())


def test_a_mix_that_the_pool_has_no_row_of_is_refused() -> None:
    surface = make_surface(
        support=np.r_[np.zeros(6), np.full(6, 5.0)], n=np.zeros(12), correct=np.zeros(12)
    )
    with pytest.raises(InputError, match="mix must give weight to some pool rows"):
        Selection.of(MixQuery(mix="own", weight=["sex:F:1"]), surface)


def test_an_attribute_called_weight_has_no_own_mix() -> None:
    space = AttributeSpace((Attribute("weight", (1, 2)),))
    surface = AccuracySurface(space, np.arange(2), *np.full((7, 2), 0.5))
    with pytest.raises(InputError, match="must not be used with an attribute called 'weight'"):
        Selection.of(MixQuery(mix="own", weight=["weight:1:1"]), surface)


def test_what_no_pool_row_has_has_no_average() -> None:
    surface = make_surface()
    assert (
        Selection(read_conditions(SPACE, ["sex:F", "age:middle", "light:1"])).average(surface)
        is None
    )
    with pytest.raises(UnknownNameError):
        Selection({"colour": ["red"]}).mass(surface)


def test_values_are_found_as_pages_write_them() -> None:
    space = AttributeSpace(
        (
            Attribute("flag", (True, False), kind="boolean"),
            Attribute("dose", (0.5, 3.0)),
            Attribute("age", kind="continuous", edges=(30, 45)),
        )
    )
    surface = AccuracySurface(space, np.arange(12), *np.full((7, 12), 0.5))
    for axis in axes_of(surface.space):
        texts = [f"{axis.name}:{value}" for value in axis.values]
        wanted = list(space.attribute(axis.name).values)
        assert read_conditions(space, texts) == {axis.name: wanted}
