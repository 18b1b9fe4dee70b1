"""Laws of the space: codes and arm indices are two names of one thing."""

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from accuracy_assay.domain.space import Attribute, AttributeSpace

SHAPES = st.lists(st.integers(2, 40), min_size=1, max_size=10)


def space_of(shape: list[int]) -> AttributeSpace:
    return AttributeSpace(
        tuple(Attribute(f"a{k}", tuple(range(size))) for k, size in enumerate(shape))
    )


@given(SHAPES, st.data())
def test_codes_of_an_arm_index_lead_back_to_it(shape: list[int], data: st.DataObject) -> None:
    space = space_of(shape)
    index = data.draw(st.lists(st.integers(0, space.n_arms - 1), max_size=20))
    codes = space.codes(np.array(index, dtype=np.int64))
    assert (codes >= 0).all()
    assert (codes < np.array(shape)).all()
    assert space.arm_index(codes).tolist() == index


@given(SHAPES, st.data())
def test_the_order_of_arms_is_the_order_of_their_codes(
    shape: list[int], data: st.DataObject
) -> None:
    space = space_of(shape)
    pair = data.draw(st.lists(st.integers(0, space.n_arms - 1), min_size=2, max_size=2))
    first, second = space.codes(pair).tolist()
    assert (first < second) == (pair[0] < pair[1])


@given(SHAPES, st.data())
def test_a_frame_of_arms_encodes_to_these_arms(shape: list[int], data: st.DataObject) -> None:
    space = space_of(shape)
    index = data.draw(st.lists(st.integers(0, space.n_arms - 1), min_size=1, max_size=10))
    frame = space.frame(index)
    assert space.arm_index(space.encode(frame)).tolist() == index
    assert frame.row(0, named=True) == space.describe(index[0])


@given(
    st.lists(st.text(min_size=1), min_size=2, max_size=10, unique=True),
    st.lists(st.integers(0, 9), min_size=1, max_size=30),
)
def test_inferred_values_encode_every_row_to_itself(values: list[str], picks: list[int]) -> None:
    column = pl.Series("x", values + [values[p % len(values)] for p in picks])
    attribute = Attribute.infer(column)
    decoded = [attribute.values[code] for code in attribute.encode(column)]
    assert decoded == column.to_list()


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8, unique=True).map(sorted),
    st.lists(st.floats(-2e6, 2e6), min_size=1, max_size=30),
)
def test_bins_keep_the_order_of_the_numbers(edges: list[float], numbers: list[float]) -> None:
    attribute = Attribute("x", kind="continuous", edges=tuple(edges))
    codes = attribute.encode(pl.Series("x", numbers, dtype=pl.Float64))
    assert attribute.size == len(edges) + 1
    assert (np.diff(codes[np.argsort(numbers)]) >= 0).all()
    assert codes.tolist() == [attribute.code(x) for x in numbers]
