"""How the paper's estimators are set up; what they keep to stands in the conformance suite."""

import re
import subprocess
import sys

import jax
import numpy as np
import pytest

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.errors import ConvergenceError, InputError
from accuracy_assay.estimators.paper import variational
from accuracy_assay.estimators.paper.bern_gp import BernGP
from accuracy_assay.estimators.paper.beta_gp_sl import BetaGPSL

SPACE = AttributeSpace(
    (
        Attribute("accent", tuple("abc")),
        Attribute("age", tuple(range(11)), kind="ordinal"),
        Attribute("noise", tuple("abc")),
    )
)
POOL = Support.count(SPACE, None, np.arange(SPACE.n_arms), np.full(SPACE.n_arms, 100.0))


def observe(n_arms: int, labels_per_arm: int = 3) -> Observations:
    rng = np.random.default_rng(3)
    arms = np.repeat(rng.permutation(SPACE.n_arms)[:n_arms], labels_per_arm)
    scores = (rng.random(arms.size) < 0.7).astype(float)
    return Observations.from_instances(POOL, Affiliation.exact(arms), scores)


def bern(**settings: object) -> BernGP:
    """Return an estimator of the shapes of the conformance suite, whose compiled code it finds."""
    return BernGP(**{"first_steps": 20, "n_inducing": 12} | settings)  # type: ignore[arg-type]


def test_a_first_fit_compiles_two_programs_that_more_arms_and_warm_rounds_share(
    rng: np.random.Generator, caplog: pytest.LogCaptureFixture
) -> None:
    jax.clear_caches()
    with jax.log_compiles():
        surface = bern().fit(observe(20), rng)
        for n_arms in (21, 22, 40, 64):
            surface = bern().fit(observe(n_arms), rng, surface)
    compiled = re.findall(r"Compiling jit\((\w+)\)", caplog.text)
    assert compiled == ["train", "_latent_with_draws"]


@pytest.mark.parametrize(
    ("n_new", "steps"), [(0, 50), (12, 50), (13, 100), (36, 150), (2000, 1000)]
)
def test_the_steps_of_a_round_follow_its_labels(n_new: float, steps: int) -> None:
    assert BernGP()._steps_for(n_new) == steps


def test_a_round_takes_the_steps_of_the_labels_that_are_new(rng: np.random.Generator) -> None:
    estimator = bern(first_steps=60, round_steps=10)
    surface = estimator.fit(observe(20), rng)
    for n_arms, steps in ((24, 10), (36, 30), (90, 60)):  # of three labels each
        surface = estimator.fit(observe(n_arms), rng, surface)
        assert surface.details["steps"] == steps


def test_observed_arms_are_the_likeliest_of_some_label(rng: np.random.Generator) -> None:
    rows = Affiliation(np.array([0, 2, 3]), np.array([4, 9, 7]), np.array([0.7, 0.3, 1.0]))
    seen = Observations.from_instances(POOL, rows, [1.0, 0.0])
    assert np.flatnonzero(variational._is_observed(seen)).tolist() == [4, 7]
    X = variational.inputs(SPACE, POOL.listed_arms)
    counts = variational._padded_counts(seen, X, 0.9, rng)
    assert (int(counts.n_observed), int(counts.n_touched)) == (2, 3)
    np.testing.assert_allclose(counts.n[:3], [0.8, 1.1, 0.4], rtol=1e-6)
    np.testing.assert_allclose(counts.c[:3], [0.79, 0.09, 0.39], rtol=1e-6)


@pytest.mark.parametrize("latent_mean", ["learned", "zero"])
def test_the_latent_mean_stays_at_zero_unless_it_is_learned(
    latent_mean: str, rng: np.random.Generator
) -> None:
    surface = bern(latent_mean=latent_mean).fit(observe(20), rng)
    constant = np.asarray(surface.memory.params.constant)
    assert (constant == 0.0).all() == (latent_mean == "zero")


def test_values_enter_as_plain_numbers_where_they_are_asked_for() -> None:
    arms = np.array([0, 5, 98])
    numbers = BernGP(values="numbers")._inputs(SPACE, arms)
    np.testing.assert_array_equal(numbers, SPACE.codes(arms))
    assert BernGP()._inputs(SPACE, arms).shape == (3, 7)


def test_the_codes_reading_takes_a_variance_for_a_standard_deviation() -> None:
    variance = np.array([[36.0 * 0.25], [0.5]])  # of 6 f - 3 with V[f] = 0.25, and of g
    read = variational._as_the_code_reads(variance, (6.0, -3.0))
    np.testing.assert_allclose(read, [[(6.0 * 0.25) ** 2], [0.5**2]])


def test_a_warm_round_goes_on_from_the_last(rng: np.random.Generator) -> None:
    seen = observe(40)
    first = bern().fit(seen, rng)
    again = bern().fit(seen, rng, first)
    assert again.details["elbo"] > first.details["elbo"]


def test_the_surface_is_the_same_in_one_piece_and_in_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = bern().fit(observe(40), np.random.default_rng(0))
    monkeypatch.setattr(variational, "_ARMS_AT_ONCE", 16)
    pieces = bern(n_draws=0).fit(observe(40), np.random.default_rng(0))
    for column in ("mean", "sd", "lower", "upper"):
        np.testing.assert_allclose(getattr(pieces, column), getattr(whole, column), rtol=1e-9)


def test_a_failed_factorisation_is_tried_again_with_more_jitter(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    monkeypatch.setitem(variational._JITTERS, "float64", (-0.9, 1e-4))
    surface = bern().fit(observe(20), rng)
    assert surface.details["jitter"] == 1e-4
    assert np.isfinite(surface.mean).all()


def test_a_fit_that_never_stays_finite_is_an_error_that_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    monkeypatch.setitem(variational._JITTERS, "float64", (-0.9, -0.8))
    with pytest.raises(ConvergenceError, match=r"'bern-gp'.*\[-0.9, -0.8\].*Lower learning_rate"):
        bern().fit(observe(20), rng)


def test_a_learning_rate_that_explodes_is_no_silent_surface(rng: np.random.Generator) -> None:
    with pytest.raises(ConvergenceError):
        bern(learning_rate=1e200).fit(observe(20), rng)


def test_single_width_is_close_to_double() -> None:
    wide, narrow = (
        bern(width=width, first_steps=100).fit(observe(40), np.random.default_rng(0))
        for width in ("float64", "float32")
    )
    np.testing.assert_allclose(narrow.mean, wide.mean, atol=0.01)
    assert narrow.mean.dtype == np.float64


def test_a_sample_of_arms_a_step_leads_to_a_similar_surface() -> None:
    few = bern(arms_per_step=16, first_steps=300).fit(observe(60, 8), np.random.default_rng(0))
    all_arms = bern(first_steps=300).fit(observe(60, 8), np.random.default_rng(0))
    assert np.corrcoef(few.mean, all_arms.mean)[0, 1] > 0.8


def test_a_network_of_another_width_is_refused(rng: np.random.Generator) -> None:
    layer = (np.zeros((7, 4)), np.zeros(4))
    with pytest.raises(InputError, match=r"must take 17 inputs.*got 7"):
        bern(initial_network=[layer]).fit(observe(20), rng)


def test_the_given_network_is_where_the_embedding_starts(rng: np.random.Generator) -> None:
    layer = (rng.normal(size=(17, 4)), np.zeros(4))
    surface = bern(initial_network=[layer], first_steps=1, learning_rate=1e-12).fit(
        observe(20), rng
    )
    np.testing.assert_allclose(surface.memory.params.network[0][0], layer[0], atol=1e-9)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"first_steps": 0}, "first_steps must be at least 1; got 0"),
        ({"learning_rate": 0.0}, "learning_rate must be positive; got 0.0"),
        ({"level": 1.0}, "level must lie between 0 and 1; got 1.0"),
    ],
)
def test_bad_settings_are_named(settings: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        BetaGPSL(**settings)  # type: ignore[arg-type]


def test_importing_the_estimators_changes_no_jax_setting() -> None:
    code = (
        "import jax; before = dict(jax.config.values)\n"
        "from accuracy_assay.estimators.paper import bern_gp, beta_gp_ab, beta_gp_slp\n"
        "from accuracy_assay.estimators.anova import anova_gp\n"
        "assert dict(jax.config.values) == before\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
