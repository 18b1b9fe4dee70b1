"""``name:key=value`` works wherever a method is named, and means the same everywhere."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from command_line import assay as command_line  # noqa: F401  (a fixture)

import accuracy_assay as aa
from accuracy_assay.errors import InputError
from accuracy_assay.registry import build_strategy_for
from accuracy_assay.spec.reach import spec_reach
from accuracy_assay.spec.read import read_spec

WRITTEN = "constant:level=0.5,kappa_from=first"
N_ROWS = 60

Door = Callable[[Path, Callable[..., Any]], float]


def table(folder: Path) -> Path:
    rng = np.random.default_rng(3)
    rows = {"id": [f"x{i}" for i in range(N_ROWS)], "sex": rng.choice(["f", "m"], N_ROWS)}
    rows |= {"truth": ["yes"] * N_ROWS}
    said = np.where(rng.random(N_ROWS) < 0.7, "yes", "no")
    rows |= {"said": said, "other": said[::-1], "correct": (said == "yes").astype(int)}
    path = folder / "rows.csv"
    pl.DataFrame(rows).write_csv(path)
    return path


def estimated(folder: Path, call: Callable[..., Any]) -> float:
    return aa.estimate(table(folder), ["sex"], "correct", estimator=WRITTEN).level


def compared(folder: Path, call: Callable[..., Any]) -> float:
    services = {"a": "said", "b": "other"}
    board = aa.compare(
        table(folder), ["sex"], services=services, y_true="truth", estimator=WRITTEN
    )
    return board.surfaces["a"].level


def simulated(folder: Path, call: Callable[..., Any]) -> float:
    settings: dict[str, Any] = {"strategy": "random", "seed_size": 20, "budget": 10}
    return aa.simulate(
        table(folder), ["sex"], "correct", estimator=WRITTEN, **settings
    ).surface.level


def in_a_session(folder: Path, call: Callable[..., Any]) -> float:
    spec = {
        "assay": {"name": "x", "estimator": WRITTEN, "strategy": "random"},
        "pool": {"path": str(table(folder)), "id": "id"},
        "attribute": [{"name": "sex"}],
        "service": [{"name": "a", "column": "said"}],
        "label": {"choices": ["yes", "no"]},
    }
    session = aa.Assay.create(str(folder / "x.assay"), spec)
    session.tell([f"x{i}" for i in range(20)], ["yes"] * 20, annotator="ann")
    return session.surface("a").level


def on_the_command_line(folder: Path, call: Callable[..., Any]) -> float:
    out = folder / "s.surface"
    words = ("surface", table(folder), "--attribute", "sex", "--score", "correct", "--out", out)
    answer = call(*words, "--estimator", WRITTEN)
    assert answer.code == 0, answer.err
    return aa.AccuracySurface.load(out).level


def beside_a_setting(folder: Path, call: Callable[..., Any]) -> float:
    out = folder / "s.surface"
    words = ("surface", table(folder), "--attribute", "sex", "--score", "correct", "--out", out)
    answer = call(*words, "--estimator", "constant:kappa_from=first", "--set", "level=0.5")
    assert answer.code == 0, answer.err
    return aa.AccuracySurface.load(out).level


DOORS = [estimated, compared, simulated, in_a_session, on_the_command_line, beside_a_setting]


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_settings_after_a_name_reach_the_method(
    door: Door,
    tmp_path: Path,
    command_line: Callable[..., Any],  # noqa: F811
) -> None:
    assert door(tmp_path, command_line) == 0.5


def test_constant_keeps_the_first_labels_unless_it_is_told_otherwise(tmp_path: Path) -> None:
    def accuracy(estimator: str) -> float:
        settings: dict[str, Any] = {"strategy": "random", "seed_size": 20, "budget": 30}
        found = aa.simulate(table(tmp_path), ["sex"], "correct", estimator=estimator, **settings)
        return float(found.surface.mean[0])

    assert accuracy("constant") == accuracy("constant:kappa_from=first")
    assert accuracy("constant") != accuracy("constant:kappa_from=all")


def spec_of(**methods: Any) -> Any:
    service = {"name": "a", "column": "said"}
    return read_spec({"assay": methods, "attribute": [{"name": "sex"}], "service": [service]})


def test_a_spec_reads_a_text_with_settings_as_the_table_that_it_stands_for() -> None:
    spec = spec_of(strategy="variance-reduction:goal=worst", estimator=WRITTEN)
    assert spec.assay.strategy == {"name": "variance-reduction", "goal": "worst"}
    assert spec.assay.chosen_for == "worst"
    assert spec.assay.strategy_name == "variance-reduction"
    assert spec_reach(spec) == ()  # it imports nothing from outside
    with pytest.raises(InputError, match="the goal must be given once"):
        spec_of(strategy="variance-reduction:goal=worst", goal="overall")
    with pytest.raises(InputError, match="must be key=value"):
        spec_of(estimator="constant:level=0.5,wide")
    with pytest.raises(InputError, match="must not be written in a spec"):
        spec_of(estimator="my_package:Mine:api_key=abcdef123")


def test_a_share_of_random_labels_in_a_name_is_not_overruled() -> None:
    share = "variance-reduction:random_share=0.3"
    assert build_strategy_for(share).random_share == 0.3  # type: ignore[attr-defined]
    beside = {"name": share, "goal": "worst"}
    assert build_strategy_for(beside).random_share == 0.3  # type: ignore[attr-defined]
