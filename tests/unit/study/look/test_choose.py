"""A look is over the few attributes that explain most."""

import numpy as np
import polars as pl
from made_texts import make_texts

from accuracy_assay.domain.roles.guess import guess_roles
from accuracy_assay.study.look.choose import Choice, choices_of, choose_attributes

N = 2000
RNG = np.random.default_rng(0)
LIGHT = RNG.integers(0, 2, N)
ROAD = RNG.integers(0, 3, N)
CHANCE = 0.9 - 0.4 * LIGHT - 0.15 * (ROAD == 2)
SCORES = (RNG.random(N) < CHANCE).astype(float)


def choice(name: str, code: np.ndarray) -> Choice:
    return Choice(name, name, code.astype(np.int64))


def test_the_strongest_comes_first_and_useless_ones_are_not_chosen() -> None:
    useless = [choice(f"useless{k}", RNG.integers(0, 6, N)) for k in range(6)]
    offered = [*useless, choice("road", ROAD), choice("light", LIGHT)]
    assert [c.as_typed for c in choose_attributes(offered, SCORES)] == ["light", "road"]


def test_one_is_chosen_even_if_none_explains_anything_and_seldom_a_second() -> None:
    rng = np.random.default_rng(1)
    n_chosen = []
    for _ in range(200):
        scores = (rng.random(N) < 0.6).astype(float)
        useless = [choice(f"x{size}", rng.integers(0, size, N)) for size in (2, 5, 50)]
        n_chosen.append(len(choose_attributes(useless, scores)))
    assert min(n_chosen) == 1
    assert sum(n > 1 for n in n_chosen) <= 10  # one in fifty is expected
    assert choose_attributes([], SCORES) == []


def test_arms_stay_few() -> None:
    offered = [choice(f"x{k}", RNG.permutation(np.arange(N) % 20)) for k in range(4)]
    code = sum(c.code for c in offered)
    scores = (code > np.median(code)).astype(float)
    chosen = choose_attributes(offered, scores)
    assert len(chosen) == 1  # two of them would make 400 arms


def test_what_texts_are_like_is_offered_and_columns_that_no_surface_can_have_are_not() -> None:
    texts, _ = make_texts(200)
    said = [f"{text}{'?' if i % 2 else '.'}" for i, text in enumerate(texts)]
    rows = pl.DataFrame(
        {
            "said": said,
            "a:b": ["x", "y"] * 100,
            "gap": ["x", None, "y", "x"] * 50,
            "mean": ["x", "x", "y", "x"] * 50,
            "far": [1.5, 2.5, float("inf"), 3.5] * 50,
            "sex": ["f", "m", "m", "m"] * 50,
            "speed": 100.0 * RNG.random(200),
        }
    )
    found = {c.as_typed for c in choices_of(rows, guess_roles(rows))}
    assert "question=text:said:question" in found
    assert "sex" in found
    assert any(typed.startswith("speed:") for typed in found)
    assert not {typed for typed in found if typed.startswith(("a:b", "gap", "mean", "far"))}
