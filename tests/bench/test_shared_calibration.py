"""Sharing a calibration saves time and changes no number."""

from dataclasses import dataclass

import numpy as np
import pytest

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.protocols import Calibration, Layers
from accuracy_assay.study.method import parse_method
from assay_bench import shared_calibration
from assay_bench.run import Run, perform
from assay_bench.shared_calibration import SharedCalibrator

TASK = "synthetic:rows=600,attributes=2,values=2,distance=1.5"
SPACE = AttributeSpace((Attribute("a", (0, 1)),))
EVIDENCE = Evidence(SPACE, (np.tile([[0.7, 0.3], [0.3, 0.7]], (20, 1)),))


def count_fits(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    fits: list[str] = []
    build = shared_calibration.build_calibrator

    def counted(name: str) -> object:
        fits.append(name)
        return build(name)

    monkeypatch.setattr(shared_calibration, "build_calibrator", counted)
    shared_calibration._shared.cache_clear()
    return fits


def run(method: str, seed: int) -> Run:
    return Run(TASK, parse_method(method), seed, "sizes", (100, 200), seed_size=100)


def test_methods_of_one_seed_share_a_calibration(monkeypatch: pytest.MonkeyPatch) -> None:
    fits = count_fits(monkeypatch)
    for seed in (0, 1):
        for method in ("constant@raw", "beta-independent@raw"):
            perform(run(method, seed), None)
    assert fits == ["raw", "raw"]


def test_a_shared_calibration_gives_the_rows_of_a_fresh_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    count_fits(monkeypatch)
    perform(run("constant@temperature", 0), None)
    shared = perform(run("beta-independent@temperature", 0), None)
    shared_calibration._shared.cache_clear()
    fresh = perform(run("beta-independent@temperature", 0), None)
    for ours, theirs in zip(shared, fresh, strict=True):
        assert {**ours, "seconds": 0} == {**theirs, "seconds": 0}


def test_what_is_certain_is_part_of_the_answer() -> None:
    rng = np.random.default_rng(0)
    gold = np.tile([[0], [1]], (20, 1)).astype(np.int64)
    gold[:8] = 1 - gold[:8]  # the predictor errs on some, so that no guess is certain
    calibration = SharedCalibrator("temperature", ("x",)).fit(EVIDENCE, gold, EVIDENCE, rng)
    unknown = np.full((40, 1), -1, dtype=np.int64)
    guessed = calibration.affiliation(EVIDENCE, unknown)
    certain = calibration.affiliation(EVIDENCE, gold)
    assert guessed.weights.size == 80
    assert certain.is_exact
    assert calibration.affiliation(EVIDENCE, unknown) is guessed


@dataclass(frozen=True)
class Learned:
    """A calibration that has learned ``hidden_layers``, or no network."""

    hidden_layers: Layers | None

    def fit(self, *_: object) -> Calibration:
        return self

    def affiliation(self, evidence: Evidence, known: np.ndarray | None = None) -> Affiliation:
        return Affiliation.exact(np.zeros(evidence.n_rows, dtype=np.int64))


@pytest.mark.parametrize("layers", [None, ((np.ones((2, 3)), np.zeros(3)),)])
def test_the_network_of_a_calibration_is_handed_on(
    layers: Layers | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_calibration, "build_calibrator", lambda _: Learned(layers))
    calibrator = SharedCalibrator("full", ("a network", layers is None))
    gold, rng = np.zeros((40, 1), dtype=np.int64), np.random.default_rng(0)
    calibration = calibrator.fit(EVIDENCE, gold, EVIDENCE, rng)
    assert calibration.hidden_layers is layers  # type: ignore[attr-defined]
