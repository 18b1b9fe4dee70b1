"""A look in words is short, and shows every name literally."""

import numpy as np
import polars as pl

from accuracy_assay.study.look.look import look
from accuracy_assay.study.look.words import command_lines, surface_lines

N = 400


def rows(effect: float) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    light = rng.choice(["day", "night"], N)
    right = rng.random(N) < np.where(light == "day", 0.9, 0.9 - effect)
    many = {f"c{k}": [f"v{i}" for i in range(N)] for k in range(5)}
    return pl.DataFrame({"light": light, "\x1b[31mred": light, "correct": right, **many})


def test_what_was_found_is_said_in_five_lines() -> None:
    said = str(look(rows(0.4)))
    found, _, rest = said.partition("\n\n")
    assert len(found.split("\n")) <= 5
    assert "1 with" not in found
    assert "and 1 more" in found or "and 2 more" in found
    assert "\x1b" not in said
    assert "is right in" in rest


def test_without_a_clear_slice_the_lowest_values_are_said_to_be_unclear() -> None:
    surface = look(rows(0.0)).surface
    assert surface is not None
    assert surface_lines(surface)[0].startswith("No slice is clearly weaker than the whole")
    clear = look(rows(0.4)).surface
    assert clear is not None
    assert surface_lines(clear)[0].startswith("Weakest slices, clearly below")


def test_commands_stand_on_lines_of_their_own() -> None:
    assert command_lines({"The whole": "assay surface r.csv"}) == [
        "The whole:",
        "  assay surface r.csv",
    ]


def test_an_attribute_with_gaps_is_named() -> None:
    gaps = rows(0.4).with_columns(light=pl.when(pl.int_range(N) % 7 > 0).then("light"))
    said = str(look(gaps.select("light", "correct")))
    assert "an attribute needs a value in every row; fill those of light." in said
