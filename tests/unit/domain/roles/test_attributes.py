"""Which columns may be attributes, and why the others are not."""

import numpy as np
import polars as pl

from accuracy_assay.domain.roles.attributes import pick_attributes

N = 400
RNG = np.random.default_rng(0)
RACE = RNG.choice(["a", "b", "c", "d"], N, p=[0.5, 0.3, 0.15, 0.05])
AGE = RNG.integers(18, 90, N)


def pick(**columns: object) -> tuple[dict[str, str], frozenset[str], dict[str, str]]:
    rows = pl.DataFrame(columns)
    picked, gaps, reasons = pick_attributes(rows, {}, None, 20)
    return {c.name: c.as_typed for c in picked}, gaps, reasons


def test_near_copies_are_offered_once_and_the_coarser_is_kept() -> None:
    coarse = np.where(RACE == "d", "c", RACE)
    picked, _, reasons = pick(race=RACE, race3=coarse)
    assert list(picked) == ["race3"]
    assert reasons == {"race": "says the same as 'race3', which has fewer values"}


def test_bands_stand_for_their_numbers_and_other_numbers_are_cut() -> None:
    band = np.where(AGE < 40, "young", "old")
    picked, _, reasons = pick(age=AGE, band=band, speed=100.0 * RNG.random(N))
    assert list(picked) == ["band", "speed"]
    assert picked["speed"].startswith("speed:")
    assert "age" in reasons


def test_identifiers_constants_and_probabilities_are_left_out_with_a_reason() -> None:
    picked, _, reasons = pick(
        key=[f"k{i}" for i in range(N)], one=["x"] * N, sure=RNG.random(N), sex=["f", "m"] * 200
    )
    assert list(picked) == ["sex"]
    assert reasons["key"].startswith("names single rows")
    assert reasons["one"] == "one value"
    assert "between 0 and 1" in reasons["sure"]


def test_attributes_with_missing_values_are_marked() -> None:
    picked, gaps, _ = pick(sex=["f", "m", None, "f"] * 100)
    assert list(picked) == ["sex"]
    assert gaps == {"sex"}


def test_what_copies_the_truth_or_tells_the_score_is_no_attribute() -> None:
    truth = pl.Series("truth", ["yes", "no"] * 200)
    score = pl.Series("a", (RNG.random(N) < 0.6).astype(float))
    rows = pl.DataFrame(
        {
            "is_yes": [True, False] * 200,
            "error": np.where(score.to_numpy() == 1.0, "none", "slip"),
            "light": RNG.choice(["day", "night"], N),
        }
    )
    picked, _, reasons = pick_attributes(rows, {"a": score}, truth, 20)
    assert [c.name for c in picked] == ["light"]
    assert "copy of the truth, 'truth'" in reasons["is_yes"]
    assert reasons["error"] == "gives the score of 'a' away"


def test_a_guessed_attribute_is_kept_beside_its_copy() -> None:
    rows = pl.DataFrame({"race3": np.where(RACE == "d", "c", RACE), "race": RACE})
    picked, _, _ = pick_attributes(rows, {}, None, 20, {"race", "race3"})
    assert {c.name for c in picked} == {"race", "race3"}
