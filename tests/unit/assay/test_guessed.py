"""Guessed attributes, attributes that the label reveals, and the seed set that calibrates them."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.calibration.potential import Potential
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.estimators.beta_independent import BetaIndependent
from accuracy_assay.estimators.paper.bern_gp import BernGP
from accuracy_assay.numerics.joint.block_prior import Block
from accuracy_assay.protocols import EmbeddingEstimator, Layers
from accuracy_assay.storage.memory import MemoryStore


def make_tables(n_pool: int = 80, n_seed: int = 40) -> tuple[pl.DataFrame, pl.DataFrame]:
    rng = np.random.default_rng(1)
    n = n_pool + n_seed
    accent = rng.choice(["uk", "us"], n)
    digit = rng.choice(["0", "1"], n)
    p_us = np.clip(np.where(accent == "us", 0.8, 0.2) + rng.normal(0, 0.1, n), 0.01, 0.99)
    rows = pl.DataFrame(
        {
            "id": np.arange(n),
            "accent": accent,
            "digit": digit,
            "p_accent__uk": 1 - p_us,
            "p_accent__us": p_us,
            "heard": np.where(rng.random(n) < 0.8, digit, "0"),
        }
    )
    seed = rows[n_pool:].rename({"digit": "label"})
    return rows[:n_pool].drop("accent", "digit"), seed


SPEC: dict[str, Any] = {
    "assay": {
        "estimator": "beta-independent",
        "strategy": "largest-variance",
        "calibration": "temperature",
    },
    "attribute": [
        {"name": "accent", "evidence": "p_accent__*"},
        {"name": "digit", "from_label": True},
    ],
    "service": [{"name": "ear", "column": "heard"}],
    "label": {"choices": ["0", "1"]},
}


def create(**sections: Any) -> aa.Assay:
    pool, seed = make_tables()
    return aa.Assay.create(MemoryStore(), SPEC | sections, pool=pool, seed_set=seed)


def test_the_seed_set_counts_with_its_gold_attributes() -> None:
    assay = create()
    _, seed = make_tables()
    surface = assay.surface()
    assert surface.n_labels == pytest.approx(seed.height)
    for accent in ("uk", "us"):
        for digit in ("0", "1"):
            own = seed.filter(accent=accent, label=digit)
            index = surface.space.matches(surface.arms, {"accent": accent, "digit": digit})
            assert surface.n[index] == pytest.approx(own.height)
            right = own.filter(pl.col("heard") == pl.col("label")).height
            assert surface.correct[index] == pytest.approx(right)


def test_what_the_label_reveals_is_not_shown_before_and_known_after() -> None:
    assay = create()
    before = assay.surface()
    batch = assay.ask(4)
    assert all("digit" not in arm and "accent=" in arm for arm in batch["arm"])
    assay.tell(batch["id"], ["1"] * 4)
    after = assay.surface()
    is_one = after.space.matches(after.arms, {"digit": "1"})
    assert (after.n - before.n)[is_one].sum() == pytest.approx(4.0)
    assert (after.n - before.n)[~is_one].sum() == pytest.approx(0.0, abs=1e-9)


def test_a_confirmed_attribute_ends_the_guess() -> None:
    assay = create()
    before = assay.surface()
    assay.tell("3", "1", confirmed_attributes={"accent": "us"})
    after = assay.surface()
    arm = after.space.matches(after.arms, {"digit": "1", "accent": "us"})
    assert (after.n - before.n)[arm] == pytest.approx(1.0)


def test_there_are_no_signals_where_attributes_are_guessed() -> None:
    assay = create()
    assay.surface()
    assert assay._fits.latest("ear").solved.problem.strata is None


def test_a_label_that_names_no_value_of_what_it_reveals_is_refused() -> None:
    sections = {"attribute": [{"name": "digit", "from_label": True, "values": ["0", "1"]}]}
    with pytest.raises(UnknownNameError, match=r"value of attribute 'digit' .* got '7'"):
        create(**sections, label={}).tell("3", "7")


def test_a_seed_set_without_labels_is_refused() -> None:
    pool, seed = make_tables()
    with pytest.raises(UnknownNameError, match=r"column of seed set .* got 'label'"):
        aa.Assay.create(MemoryStore(), SPEC, pool=pool, seed_set=seed.drop("label"))
    with pytest.raises(InputError, match="got 'accent'"):
        aa.Assay.create(MemoryStore(), SPEC, pool=pool, seed_set=seed.drop("accent"))


def test_a_calibration_is_learned_once_and_kept_beside_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool, seed = make_tables()
    path = tmp_path / "digits.assay"
    with aa.Assay.create(path, SPEC, pool=pool, seed_set=seed) as assay:
        assay.calibrate()
        first = assay.surface().to_frame()
    kept = list((tmp_path / "digits.assay.cache").iterdir())
    assert [p.suffix for p in kept] == [".calibration"]

    def never(*_: object) -> None:
        raise AssertionError("the calibration was learned again")

    with monkeypatch.context() as patch:
        patch.setattr("accuracy_assay.assay.cache.build_calibrator", never)
        with aa.Assay.open(path, pool=pool, seed_set=seed) as again:
            assert again.surface().to_frame().equals(first)
    kept[0].write_bytes(b"damaged")
    with aa.Assay.open(path, pool=pool, seed_set=seed) as again:
        assert again.surface().to_frame().equals(first)


def test_an_attribute_that_is_the_label_takes_the_prediction_out_of_the_signals() -> None:
    pool, _ = make_tables()
    truth = pl.Series("digit", np.random.default_rng(0).choice(["0", "1"], pool.height))
    spec = SPEC | {"attribute": [{"name": "digit"}]}
    assay = aa.Assay.create(MemoryStore(), spec, pool=pool.with_columns(truth))
    assay.tell(pool["id"][:30], truth[:30])
    assay.surface()
    fit = assay._fits.latest("ear")
    assert fit.taken.problem.strata is not None
    assert fit.solved.problem.strata is None
    named = spec | {"service": [{"name": "ear", "column": "heard", "signals": ["heard"]}]}
    strict = aa.Assay.create(MemoryStore(), named, pool=pool.with_columns(truth))
    strict.tell(pool["id"][:30], truth[:30])
    with pytest.raises(InputError, match="signal 'heard' must not reveal the score"):
        strict.surface()


@dataclass(frozen=True)
class NeverStarted(BetaIndependent):
    """An estimator with an embedding that no calibration may set."""

    def starting_from(self, layers: Layers) -> "NeverStarted":
        raise AssertionError(f"the calibration has no network; got layers {layers}")


def test_a_calibration_without_a_network_leaves_the_embedding_alone() -> None:
    assay = create()
    assay._fits.estimator = NeverStarted()
    assert isinstance(assay._fits.estimator, EmbeddingEstimator)
    assert assay.surface().n_labels > 0.0


def test_the_embedding_starts_from_the_network_of_the_calibration() -> None:
    with_network = create()
    with_network._fits.estimator = BernGP(
        first_steps=1, learning_rate=1e-12, n_inducing=4, n_draws=0
    )
    rng = np.random.default_rng(2)
    network = tuple(rng.normal(size=size) for size in ((4, 6), 6, (6, 6), 6, 6))
    potential = Potential((Block((0, 1), np.zeros((2, 2))),), folded=network)
    before = with_network._snapshots.arms
    with_network._snapshots.arms = replace(
        before,
        calibration=replace(before.calibration, potential=potential),  # type: ignore[type-var]
    )
    for ours, theirs in zip(
        with_network.surface().memory.params.network, (network[:2], network[2:4]), strict=True
    ):
        np.testing.assert_allclose(ours[0], theirs[0], atol=1e-9)
        np.testing.assert_allclose(ours[1], theirs[1], atol=1e-9)
