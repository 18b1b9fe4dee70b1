"""Affiliation of a fitted calibration: rows, bound, known attributes, chunks, many arms."""

import tracemalloc

import numpy as np
import pytest

from accuracy_assay.calibration.fitted import FittedCalibration
from accuracy_assay.calibration.potential import Potential
from accuracy_assay.calibration.report import CalibrationReport
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.errors import InputError
from accuracy_assay.numerics.joint.block_prior import Block


def joint(world) -> FittedCalibration:
    """The world's own truth as a calibration."""
    table = np.log(world.pi).reshape(world.space.shape)
    potential = Potential((Block((0, 1, 2), table),))
    report = CalibrationReport("full", 0, 0)
    return FittedCalibration(world.space, "full", world.sharpness, potential, report)


def dense(rows, n_arms: int) -> np.ndarray:
    table = np.zeros((rows.n_rows, n_arms))
    table[rows.row_index, rows.indices] = rows.weights
    return table


def test_nothing_dropped_equals_brute_force(world, rng) -> None:
    evidence, gold = world.draw(60, rng)
    found = dense(joint(world).affiliation(evidence, max_dropped=0.0), 12)
    np.testing.assert_allclose(found, world.posterior(evidence), atol=1e-12)
    at_gold = world.posterior(evidence)[np.arange(60), world.space.arm_index(gold)]
    np.testing.assert_allclose(joint(world).log_probability(evidence, gold), np.log(at_gold))


def test_marginals_and_most_probable_arm_equal_brute_force(world, rng) -> None:
    evidence, _ = world.draw(40, rng)
    found, true = joint(world).marginals(evidence), world.posterior(evidence)
    shaped = true.reshape(40, *world.space.shape)
    np.testing.assert_allclose(found.tables[1], shaped.sum(axis=(1, 3)))
    np.testing.assert_array_equal(world.space.arm_index(found.top_codes), true.argmax(axis=1))
    np.testing.assert_allclose(found.top_probability, true.max(axis=1))


def test_known_attributes_are_exact_and_the_rest_is_conditioned_on_them(world, rng) -> None:
    evidence, gold = world.draw(50, rng)
    known = np.full((50, 3), -1)
    known[:25, 1] = gold[:25, 1]
    known[10:, 2] = gold[10:, 2]
    found = dense(joint(world).affiliation(evidence, known, max_dropped=0.0), 12)
    codes = world.space.codes(np.arange(12))
    agrees = ((known[:, None, :] < 0) | (known[:, None, :] == codes)).all(axis=2)
    true = world.posterior(evidence) * agrees
    np.testing.assert_allclose(found, true / true.sum(axis=1, keepdims=True), atol=1e-12)


def test_an_attribute_from_the_label_is_spread_until_it_is_known(world, rng) -> None:
    evidence, gold = world.draw(30, rng)
    hidden = Evidence(world.space, (np.full(30, -1), *evidence.columns[1:]))
    fitted = joint(world)
    before = world.space.codes(fitted.affiliation(hidden, max_dropped=0.0).indices)[:, 0]
    assert set(before.tolist()) == {0, 1}
    known = np.full((30, 3), -1)
    known[:, 0] = gold[:, 0]
    after = fitted.affiliation(hidden, known, max_dropped=0.0)
    np.testing.assert_array_equal(world.space.codes(after.indices)[:, 0], gold[after.row_index, 0])


def test_a_confirmed_attribute_overrules_a_sure_predictor(world) -> None:
    sure = Evidence(world.space, (np.array([[1.0, 0.0]]), np.full((1, 3), 1 / 3), np.array([1])))
    rows = joint(world).affiliation(sure, np.array([[1, -1, -1]]))
    assert set(world.space.codes(rows.indices)[:, 0].tolist()) == {1}


@pytest.mark.parametrize("chunk_rows", [1, 7, 100])
def test_chunks_do_not_change_the_result(chunk_rows, world, rng) -> None:
    evidence, gold = world.draw(40, rng)
    known = np.where(rng.random((40, 3)) < 0.2, gold, -1)
    whole = joint(world).affiliation(evidence, known)
    parts = list(joint(world).stream(evidence, known, chunk_rows=chunk_rows))
    assert max(part.n_rows for part in parts) <= chunk_rows
    assert sum(part.n_rows for part in parts) == 40
    np.testing.assert_array_equal(np.concatenate([part.indices for part in parts]), whole.indices)
    np.testing.assert_allclose(np.concatenate([p.weights for p in parts]), whole.weights)


def test_working_memory_is_that_of_a_chunk_and_not_of_the_pool(world, rng) -> None:
    def peak_bytes(n: int) -> int:
        evidence, _ = world.draw(n, rng)
        tracemalloc.start()
        for _ in joint(world).stream(evidence, chunk_rows=500):
            pass
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return peak

    peak_bytes(500)  # what is loaded once
    assert peak_bytes(20_000) < 1.3 * peak_bytes(2_000)


def test_a_pool_of_no_rows_has_no_affiliation(world, rng) -> None:
    evidence, _ = world.draw(1, rng)
    assert joint(world).affiliation(evidence.take(slice(0, 0))).n_rows == 0


def test_two_to_the_thirty_arms_are_listed_within_the_bound(make_binary_space, rng) -> None:
    space = make_binary_space(30)
    p = rng.choice([0.999, 0.99, 0.8, 0.002], p=[0.5, 0.3, 0.05, 0.15], size=(200, 30))
    evidence = Evidence(space, tuple(np.stack([1 - p[:, k], p[:, k]], 1) for k in range(30)))
    report = CalibrationReport("temperature", 0, 0)
    fitted = FittedCalibration(space, "temperature", np.ones(30), None, report)
    rows = fitted.affiliation(evidence)
    codes = space.codes(rows.indices)
    true = np.where(codes == 1, p[rows.row_index], 1 - p[rows.row_index]).prod(axis=1)
    held = np.bincount(rows.row_index, true)
    assert space.n_arms == 2**30
    assert held.min() >= 0.99
    assert rows.dropped <= 0.01
    np.testing.assert_allclose(rows.weights, true / held[rows.row_index])


def test_evidence_too_flat_for_the_bound_is_refused_with_the_instance(make_binary_space) -> None:
    space = make_binary_space(30)
    flat = Evidence(space, tuple(np.full((2, 2), 0.5) for _ in range(30)))
    report = CalibrationReport("temperature", 0, 0)
    fitted = FittedCalibration(space, "temperature", np.ones(30), None, report)
    with pytest.raises(InputError, match=r"instance 0 must have 0\.99"):
        fitted.affiliation(flat)


def test_what_does_not_fit_the_calibration_is_refused(world, make_binary_space, rng) -> None:
    evidence, _ = world.draw(3, rng)
    fitted = joint(world)
    other = Evidence.exact(make_binary_space(2), np.zeros((1, 2)))
    with pytest.raises(InputError, match="must have the attributes"):
        fitted.affiliation(other)
    with pytest.raises(InputError, match=r"max_dropped must lie in \[0, 1\); got 1.0"):
        fitted.affiliation(evidence, max_dropped=1.0)
    with pytest.raises(InputError, match="chunk_rows must be at least 1; got 0"):
        fitted.affiliation(evidence, chunk_rows=0)
    with pytest.raises(InputError, match=r"known must have shape \(3, 3\)"):
        fitted.affiliation(evidence, np.zeros((2, 3), np.int64))
    with pytest.raises(InputError, match=r"known codes of attribute 'sex'.*got 7"):
        fitted.affiliation(evidence, np.full((3, 3), 7))
