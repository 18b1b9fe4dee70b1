"""The kernel matrix, from small tables over the values of all coordinates.

Code that knows which coordinate is what would be compiled again for every set of attributes and
signals, for longer than a fit runs. So all that a layout decides is in tables, which NumPy makes,
and their sizes are padded to a few: the programs are compiled once for all spaces.

Notation: see the sub-package and ``anova``. A sum over coordinates of functions of d_k is Z E Z',
with the indicators Z (J, n_values) of all values and E (n_values, n_values) of one small block per
coordinate. Both it and its derivatives are matrix products. The few *wide* coordinates, of very
many values, are summed entry by entry: their tables would fill the memory.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from accuracy_assay.numerics.gp.anova import LEVEL_VARIANCE, CellArrays, Layout
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.runtime.programs import program

__all__ = ["KernelTables", "kernel", "pull_back", "tables_of"]

# Sizes of padded tables: chosen by hand between compiling often and multiplying zeros.
_VALUES_STEP, _GROUPS_STEP = 16, 8
_MANY_VALUES_STEP = 64  # above as many values
_NO_CODE = -2  # a value that no cell has, not even one of padding


class SumOver(NamedTuple):
    """A sum over coordinates: E (n_values, n_values), and weights of the wide ones, (m,)."""

    table: FloatArray | jax.Array
    wide: FloatArray | jax.Array


class GroupWeights(NamedTuple):
    """What attributes do by group of signals: a, b (n_groups,), t, and the two sums times them."""

    shared: FloatArray | jax.Array
    factor: FloatArray | jax.Array
    product: FloatArray | jax.Array
    apart: SumOver
    alone: SumOver


class Weights(NamedTuple):
    """All that depends on theta: o, s, c, rates of the wide coordinates, and sums."""

    own: FloatArray | jax.Array
    product: FloatArray | jax.Array
    cluster: FloatArray | jax.Array | None
    rate: FloatArray | jax.Array
    together: SumOver
    alone: SumOver
    groups: GroupWeights | None


class Values(NamedTuple):
    """Column and code of every value, (n_values,); column, order and unit of the wide, (m,)."""

    column: IntArray
    code: IntArray
    wide: IntArray
    is_ordered: IntArray
    unit: FloatArray


class KernelTables(NamedTuple):
    """What compiled code needs of theta and its layout."""

    weights: Weights
    values: Values


def tables_of(theta: FloatArray, layout: Layout) -> KernelTables:
    """Return the tables of a layout at theta."""
    blocks = _Blocks(theta, layout)
    p, raw = blocks.p, blocks.raw
    groups = None
    if layout.n_groups > 1:
        factor = np.zeros(_up_to(layout.n_groups, _GROUPS_STEP))
        factor[: layout.n_groups] = raw["b"]
        apart = blocks.sum_over(blocks.scale(p["u"]), blocks.d)
        alone = blocks.sum_over(blocks.inside * p["v"], blocks.correlation)
        groups = GroupWeights(p["a"][0], factor, p["t"][0], apart, alone)
    weights = Weights(
        p["o"][0],
        p["s"][0],
        p["c"][0] if layout.has_clusters else None,
        p["e"][layout.wide],
        blocks.sum_over(blocks.scale(p["w"]), blocks.d),
        blocks.sum_over(blocks.outside * p["v"], blocks.correlation),
        groups,
    )
    return KernelTables(weights, _values_of(layout))


def kernel(tables: KernelTables, rows: CellArrays, columns: CellArrays) -> jax.Array:
    """Return K between the cells of ``rows`` and of ``columns``, shape (J_rows, J_columns)."""
    weights, values = tables
    left, right = (_indicators(cells, values) for cells in (rows, columns))
    d = [_distance(rows, columns, values, i) for i in range(values.wide.shape[0])]

    def added(over: SumOver, terms: list[jax.Array]) -> jax.Array:
        total: jax.Array = left @ over.table @ right.T
        for i, term in enumerate(terms):
            total = total + over.wide[i] * term
        return total

    c = [
        jnp.where(values.is_ordered[i], jnp.exp(-weights.rate[i] * each), 1.0 - each)
        for i, each in enumerate(d)
    ]
    own = weights.own * rows.own[:, None] * (rows.arm[:, None] == columns.arm[None, :])
    together = weights.product * jnp.exp(-added(weights.together, d))
    total: jax.Array = LEVEL_VARIANCE + jnp.asarray(own) + together
    if weights.cluster is not None:
        total = total + weights.cluster * _is_same(rows.cluster, columns.cluster)
    if rows.slices is not None and columns.slices is not None:
        total = total + rows.slices @ columns.slices.T
    if rows.trend is not None and columns.trend is not None:
        total = total + rows.trend @ columns.trend.T
    total = total + added(weights.alone, c)
    if weights.groups is None:
        return total
    shared, factor, product, apart, alone = weights.groups
    alike = shared + jnp.asarray(factor)[rows.group][:, None] * jnp.asarray(factor)[columns.group]
    return total + alike * (added(alone, c) + product * jnp.exp(-added(apart, d)))


@program
def _slopes(tables: KernelTables, cells: CellArrays, slope_K: jax.Array) -> Weights:
    """Return the derivatives with respect to all weights, given that with respect to K."""
    _, pull = jax.vjp(lambda w: kernel(KernelTables(w, tables.values), cells, cells), tables[0])
    slopes: Weights = pull(slope_K)[0]
    return slopes


def pull_back(
    theta: FloatArray, tables: KernelTables, cells: CellArrays, slope_K: jax.Array, layout: Layout
) -> FloatArray:
    """Return the derivative with respect to theta, given that with respect to K."""
    slopes: Weights = jax.tree.map(np.asarray, _slopes(tables, cells, slope_K))
    blocks = _Blocks(theta, layout)
    p, groups = blocks.p, slopes.groups
    alone = blocks.outside * blocks.along(slopes.alone, blocks.correlation)
    rate = blocks.outside * blocks.along(slopes.alone, blocks.decay)
    if groups is not None:
        alone = alone + blocks.inside * blocks.along(groups.alone, blocks.correlation)
        rate = rate + blocks.inside * blocks.along(groups.alone, blocks.decay)
    by_rate = p["v"] * rate
    by_rate[layout.wide] = slopes.rate
    slope = {
        "o": p["o"] * slopes.own,
        "s": p["s"] * slopes.product,
        "w": p["w"] * blocks.along(slopes.together, blocks.d)[: p["w"].size],
        "v": p["v"] * alone,
        "e": p["e"] * by_rate,
    }
    if slopes.cluster is not None:
        slope["c"] = p["c"] * slopes.cluster
    if groups is not None:
        slope["a"] = p["a"] * groups.shared
        slope["b"] = np.asarray(groups.factor)[: layout.n_groups]
        slope["t"] = p["t"] * groups.product
        slope["u"] = p["u"] * blocks.along(groups.apart, blocks.d)[: p["u"].size]
    total = np.zeros(layout.size)
    for name, part in slope.items():
        total[layout.slices[name]] = part
    return total


class _Blocks:
    """The entries of the tables that are not zero, one block per coordinate, at theta.

    Arrays over entries: ``k`` their coordinate, ``d`` its distance, ``correlation`` c_k(d), and
    ``decay`` its derivative along e_k. ``inside`` and ``outside`` are ones for the coordinates
    whose additive terms are within the groups of signals, and not.
    """

    def __init__(self, theta: FloatArray, layout: Layout) -> None:
        self.layout = layout
        self.raw = {name: np.asarray(theta)[part] for name, part in layout.slices.items()}
        self.p = {name: np.exp(value) for name, value in self.raw.items()}
        self.at, self.k, self.d = layout.blocks
        is_ordered = np.asarray(layout.ordered)[self.k]
        falling = np.exp(-self.p["e"][self.k] * self.d)
        self.correlation = np.where(is_ordered, falling, 1.0 - self.d)
        self.decay = np.where(is_ordered, -self.d * falling, 0.0)
        self.inside, self.outside = np.zeros((2, len(layout.sizes)))
        (self.outside if layout.n_groups == 1 else self.inside)[layout.attributes] = 1.0
        self.outside[layout.ordered_signals] = 1.0

    def scale(self, some: FloatArray) -> FloatArray:
        """Return the weights of the first coordinates, with zeros for the others."""
        return np.pad(some, (0, len(self.layout.sizes) - some.size))

    def sum_over(self, scale: FloatArray, entries: FloatArray) -> SumOver:
        """Return the sum over coordinates of ``entries`` times each one's scale."""
        size = _n_values(self.layout)
        table = np.zeros((size, size))
        table[self.at] = scale[self.k] * entries
        return SumOver(table, scale[self.layout.wide])

    def along(self, slope: SumOver, entries: FloatArray) -> FloatArray:
        """Return the derivative with respect to each coordinate's scale, (n_coordinates,)."""
        n_coordinates = len(self.layout.sizes)
        table = np.asarray(slope.table)[self.at]
        total = np.bincount(self.k, table * entries, minlength=n_coordinates)
        total[self.layout.wide] += np.asarray(slope.wide)
        return np.asarray(total)


def _values_of(layout: Layout) -> Values:
    column, code = layout.values
    extra = (0, _n_values(layout) - column.size)
    wide = layout.wide
    return Values(
        np.pad(column, extra),
        np.pad(code, extra, constant_values=_NO_CODE),
        wide,
        np.asarray(layout.ordered)[wide],
        layout.units[wide],
    )


def _n_values(layout: Layout) -> int:
    """Return the padded number of values."""
    size = layout.values[0].size
    return _up_to(size, _VALUES_STEP if size <= _MANY_VALUES_STEP else _MANY_VALUES_STEP)


def _up_to(size: int, step: int) -> int:
    return max(-(-size // step), 1) * step


def _indicators(cells: CellArrays, values: Values) -> jax.Array:
    return (cells.codes[:, values.column] == values.code).astype(float)


def _distance(rows: CellArrays, columns: CellArrays, values: Values, i: int) -> jax.Array:
    """Return the distance along a wide coordinate, (J_rows, J_columns)."""
    k = values.wide[i]
    step = jnp.abs(rows.codes[:, k][:, None] - columns.codes[:, k][None, :]).astype(float)
    return jnp.where(values.is_ordered[i], values.unit[i] * step, (step > 0.0).astype(float))


def _is_same(rows: jax.Array | None, columns: jax.Array | None) -> jax.Array:
    assert rows is not None
    assert columns is not None
    return (rows[:, None] == columns[None, :]) & (rows[:, None] >= 0.0)
