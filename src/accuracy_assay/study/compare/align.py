"""Surfaces of several files over the same arms, so that they can be compared arm by arm.

They may come from different pools. Only arms that all of them list are compared, and averages use
the weights of the first one's pool: a difference must come from the services, not from the pools.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce

import numpy as np

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.files.texts import as_texts, find_text, text_positions
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["aligned"]


def aligned(surfaces: Mapping[str, AccuracySurface]) -> dict[str, AccuracySurface]:
    """Return the surfaces over the arms that all of them list, with the first one's pool rows.

    Raises
    ------
    InputError
        If two of them have different attributes, share no value of one, or have intervals of
        different probabilities.
    """
    first_name, first = next(iter(surfaces.items()))
    found = {}
    for name, surface in surfaces.items():
        _refuse_unrelated(first_name, first, name, surface)
        found[name] = _arms_of(first.space, surface)
    common = reduce(np.intersect1d, found.values())
    if not common.size:
        raise InputError(
            f"surfaces must have arms in common; got none in {list(surfaces)}. Make them from the "
            "same attributes and values."
        )
    support = first.support[np.searchsorted(first.arms, common)]
    return {name: _part(surfaces[name], found[name], common, first, support) for name in surfaces}


def _refuse_unrelated(
    first_name: str, first: AccuracySurface, name: str, surface: AccuracySurface
) -> None:
    if set(first.space.names) != set(surface.space.names):
        raise InputError(
            f"surfaces must have the same attributes; got {list(first.space.names)} in "
            f"{first_name!r} and {list(surface.space.names)} in {name!r}."
        )
    for attribute in first.space.attributes:
        other = surface.space.attribute(attribute.name)
        if not any(code >= 0 for code in _codes(other, attribute)):
            raise InputError(
                f"surfaces must have values of attribute {attribute.name!r} in common; got "
                f"{list(attribute.values)} in {first_name!r} and {list(other.values)} in {name!r}."
            )
    if surface.level != first.level:
        raise InputError(
            f"surfaces must have intervals of the same probability; got {first.level:g} in "
            f"{first_name!r} and {surface.level:g} in {name!r}."
        )


def _codes(attribute: Attribute, like: Attribute) -> list[int]:
    """Return the code in ``like`` of each value of an attribute, -1 for unknown values."""
    known = text_positions(as_texts(like.values))
    found = (find_text(value, known) for value in attribute.values)
    return [-1 if code is None else code for code in found]


def _arms_of(space: AttributeSpace, surface: AccuracySurface) -> IntArray:
    """Return the arm of ``space`` that each listed arm of a surface is, -1 for none, (A,)."""
    if surface.space == space:
        return surface.arms
    own = surface.space.codes(surface.arms)
    columns = []
    for attribute in space.attributes:
        there = surface.space.names.index(attribute.name)
        known = np.asarray(_codes(surface.space.attributes[there], attribute))
        columns.append(known[own[:, there]])
    codes = np.stack(columns, axis=1)
    is_known = (codes >= 0).all(axis=1)
    arms = np.full(surface.arms.size, -1, dtype=np.int64)
    arms[is_known] = space.arm_index(codes[is_known])
    return arms


def _part(
    surface: AccuracySurface,
    arms: IntArray,
    common: IntArray,
    first: AccuracySurface,
    support: FloatArray,
) -> AccuracySurface:
    """Return the common arms of a surface, numbered and sized as in the first one."""
    if (
        surface.space == first.space
        and np.array_equal(arms, common)
        and np.array_equal(surface.support, support)
    ):
        return surface
    order = np.argsort(arms)
    at = order[np.searchsorted(arms, common, sorter=order)]
    draws = None if surface.draws is None else surface.joint_draws
    columns = ("n", "correct", "mean", "sd", "lower", "upper")
    return replace(
        surface,
        space=first.space,
        arms=common,
        support=support,
        draws=None if draws is None else draws[:, at],
        memory=None,
        **{column: getattr(surface, column)[at] for column in columns},
    )
