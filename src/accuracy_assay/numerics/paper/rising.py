"""Log-gamma and its differences, cheap enough for the inner loop of a fit.

The Beta-binomial likelihood with fractional counts needs only differences of log-gamma
functions, ``log Γ(x + c) - log Γ(x)``: the logarithm of the rising factorial. Both arguments are
shifted up by six, where Stirling's series is accurate to about 1e-10, and one logarithm of a ratio
of polynomials undoes the shift. That is three logarithms per value, without the branches of a
general log-gamma.

In float32 the polynomial overflows above 2.6 million, which the scales of a million arms add up
to, and a difference of two large logarithms has no digits left. There the logarithm of the product
is a sum of three, and the logarithm of a ratio of two arguments uses log1p.

Special to this module: x > 0 and c >= 0, arrays that broadcast; z = x + 6; t = x (x + 5);
P(x) = x (x + 1) ... (x + 5) = t (t + 4) (t + 6).
"""

import jax
import jax.numpy as jnp
from jax import Array

__all__ = ["log_gamma", "log_rising"]

# Six factors in the product below; above 6, four terms of Stirling's series leave about 1e-10.
_SHIFT = 6.0
# Smallest argument: the product of the shift, about 120 x, and its inverse stay finite in float32
# too.
_SMALLEST = 1e-12
_HALF_LOG_TWO_PI = 0.9189385332046727  # log(2 pi) / 2, of Stirling's formula


@jax.custom_jvp
def log_rising(x: Array, c: Array) -> Array:
    """Return ``log Γ(x + c) - log Γ(x)`` for x of at least 1e-12 and any c >= 0.

    Examples
    --------
    >>> round(float(log_rising(1.0, 4.0)), 4)  # log 4!
    3.1781
    """
    x = jnp.maximum(x, _SMALLEST)
    low, high = x + _SHIFT, x + c + _SHIFT
    if _is_narrow(high):
        stirling = (low - 0.5) * jnp.log1p(c / low) + c * (jnp.log(high) - 1.0)
        shift = _log_shift_product(x + c) - _log_shift_product(x)
    else:
        log_low, log_high = jnp.log(low), jnp.log(high)
        stirling = (low - 0.5) * (log_high - log_low) + c * (log_high - 1.0)
        shift = jnp.log(_shift_product(x + c) / _shift_product(x))
    return stirling + _remainder(high) - _remainder(low) - shift


@log_rising.defjvp
def _log_rising_jvp(
    primals: tuple[Array, Array], tangents: tuple[Array, Array]
) -> tuple[Array, Array]:
    x, c = primals
    dx, dc = tangents
    if _is_narrow(x + c):
        return log_rising(x, c), _narrow_rising_slope(x, c, dx, dc)
    x = jnp.maximum(x, _SMALLEST)
    low, high = x + _SHIFT, x + c + _SHIFT
    log_low, log_high = jnp.log(low), jnp.log(high)
    stirling = (low - 0.5) * (log_high - log_low) + c * (log_high - 1.0)
    product_low, product_high = _shift_product(x), _shift_product(x + c)
    value = stirling + _remainder(high) - _remainder(low) - jnp.log(product_high / product_low)
    slope_low = log_low + _remainder_slope(low) - _shift_slope(x, product_low)
    slope_high = log_high + _remainder_slope(high) - _shift_slope(x + c, product_high)
    return value, (slope_high - slope_low) * dx + slope_high * dc


def _narrow_rising_slope(x: Array, c: Array, dx: Array, dc: Array) -> Array:
    """Return the differential of ``log_rising`` in float32."""
    x = jnp.maximum(x, _SMALLEST)
    low, high = x + _SHIFT, x + c + _SHIFT
    remainder_high, shift_high = _remainder_slope(high), _log_shift_slope(x + c)
    slope_high = jnp.log(high) + remainder_high - shift_high
    rise = jnp.log1p(c / low) + remainder_high - _remainder_slope(low)
    return (rise - shift_high + _log_shift_slope(x)) * dx + slope_high * dc


@jax.custom_jvp
def log_gamma(x: Array) -> Array:
    """Return ``log Γ(x)`` for positive ``x`` in the same way, two logarithms per value.

    Examples
    --------
    >>> round(float(log_gamma(5.0)), 4)  # log 4!
    3.1781
    """
    x = jnp.maximum(x, _SMALLEST)
    z = x + _SHIFT
    stirling = (z - 0.5) * jnp.log(z) - z + _HALF_LOG_TWO_PI
    shift = _log_shift_product(x) if _is_narrow(x) else jnp.log(_shift_product(x))
    return stirling + _remainder(z) - shift


@log_gamma.defjvp
def _log_gamma_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    x = jnp.maximum(primals[0], _SMALLEST)
    z = x + _SHIFT
    shift = _log_shift_slope(x) if _is_narrow(x) else _shift_slope(x, _shift_product(x))
    digamma = jnp.log(z) + _remainder_slope(z) - shift
    return log_gamma(x), digamma * tangents[0]


def _shift_product(x: Array) -> Array:
    """Return P(x)."""
    t = x * (x + 5.0)
    return t * (t + 4.0) * (t + 6.0)


def _shift_slope(x: Array, product: Array) -> Array:
    """Return P'(x) / P(x)."""
    t = x * (x + 5.0)
    return (2.0 * x + 5.0) * ((3.0 * t + 20.0) * t + 24.0) / product


def _log_shift_product(x: Array) -> Array:
    """Return log P(x), which is finite wherever x is."""
    t = x * (x + 5.0)
    return jnp.log(t) + jnp.log(t + 4.0) + jnp.log(t + 6.0)


def _log_shift_slope(x: Array) -> Array:
    """Return P'(x) / P(x), which is finite wherever x is."""
    t = x * (x + 5.0)
    return (2.0 * x + 5.0) * (1.0 / t + 1.0 / (t + 4.0) + 1.0 / (t + 6.0))


def _is_narrow(x: Array) -> bool:
    return bool(x.dtype == jnp.float32)


def _remainder(z: Array) -> Array:
    """Stirling's correction: log Γ(z) less (z - 1/2) log z - z + log(2π)/2."""
    r = 1.0 / z
    q = r * r
    return r * (1 / 12 - q * (1 / 360 - q * (1 / 1260 - q * (1 / 1680))))


def _remainder_slope(z: Array) -> Array:
    """Digamma of z less log z."""
    r = 1.0 / z
    q = r * r
    return -0.5 * r - q * (1 / 12 - q * (1 / 120 - q * (1 / 252 - q * (1 / 240))))
