import numpy as np
import pytest
from scale_fit import fit_power

SIZES = [10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0]


@pytest.mark.parametrize("exponent", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("constant", [0.0, 2.0])
def test_a_power_above_a_constant_is_found(exponent: float, constant: float) -> None:
    power = fit_power(SIZES, [constant + 0.3 * (n / 30.0) ** exponent for n in SIZES])
    assert power is not None
    assert power.exponent == pytest.approx(exponent, abs=1e-3)
    assert power.constant == pytest.approx(constant, abs=1e-3)
    np.testing.assert_allclose(
        power.at(np.asarray(SIZES)),
        [constant + 0.3 * (n / 30.0) ** exponent for n in SIZES],
        rtol=1e-3,
    )


def test_the_standard_error_is_about_that_of_repeated_measurements(
    rng: np.random.Generator,
) -> None:
    found, said = [], []
    for _ in range(40):
        noise = np.exp(rng.normal(0.0, 0.05, len(SIZES)))
        power = fit_power(SIZES, [(1.0 + 0.01 * n) * e for n, e in zip(SIZES, noise, strict=True)])
        assert power is not None
        found.append(power.exponent)
        said.append(power.standard_error)
    assert abs(np.mean(found) - 1.0) < 0.05
    assert 0.6 < np.median(said) / np.std(found) < 1.6


def test_a_cost_that_does_not_grow_has_no_exponent_to_tell() -> None:
    power = fit_power(SIZES, [1.0, 1.01, 0.99, 1.0, 1.01, 0.99])
    assert power is not None
    assert power.exponent < 3.0 * power.standard_error
    assert str(power) == "hardly grows"


def test_points_on_no_curve_have_no_exponent_to_tell() -> None:
    assert str(fit_power([1.0, 2.0, 4.0, 8.0], [1.0, 40.0, 2.0, 1.5])) == "no clear power"


def test_two_points_tell_no_exponent_and_three_no_constant() -> None:
    assert fit_power([1.0, 2.0], [1.0, 2.0]) is None
    power = fit_power([1.0, 10.0, 100.0], [2.0, 20.0, 200.0])
    assert power is not None
    assert (power.constant, power.exponent) == (0.0, pytest.approx(1.0))
    assert str(power) == "1.00 ± 0.00"


def test_what_is_known_of_the_constant_is_not_fitted_again() -> None:
    power = fit_power([1.0, 10.0, 100.0], [302.0, 320.0, 500.0], known=300.0)
    assert power is not None
    assert (power.constant, power.exponent) == (300.0, pytest.approx(1.0))
