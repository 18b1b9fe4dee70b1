"""An assay whose pool has scores of earlier services counts them as ``estimate`` does."""

from typing import Any

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.domain.history import HISTORY
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.storage.memory import MemoryStore

N_ROWS, N_LABELS = 900, 200
EARLIER = ["old_1", "old_2", "old_3"]


def made() -> pl.DataFrame:
    rng = np.random.default_rng(6)
    hard = rng.normal(0.0, 2.0, N_ROWS)
    right = rng.random((N_ROWS, 4)) < 1.0 / (1.0 + np.exp(hard[:, None] - 0.5))
    choices, code = np.array(["a", "b", "c"]), rng.integers(0, 3, N_ROWS)
    truth, other = choices[code], choices[(code + rng.integers(1, 3, N_ROWS)) % 3]
    return pl.DataFrame(
        {
            "id": [f"x{i}" for i in range(N_ROWS)],
            "topic": rng.choice(["t1", "t2"], N_ROWS),
            "new": np.where(right[:, 0], truth, other),
            "truth": truth,
            **{name: right[:, i + 1].astype(float) for i, name in enumerate(EARLIER)},
        }
    )


ROWS = made()
LABELLED = ROWS.sample(N_LABELS, seed=1)


def opened(history: list[str]) -> Any:
    spec = {
        "assay": {"name": "known", "budget": 500},
        "pool": {"id": "id", "history": history},
        "attribute": [{"name": "topic"}],
        "service": [{"name": "new", "column": "new"}],
        "label": {"choices": ["a", "b", "c"], "show": {"text": "id"}},
    }
    assay = aa.Assay.create(MemoryStore(), spec, pool=ROWS.drop("truth"))
    assay.tell(LABELLED["id"], LABELLED["truth"], annotator="ann")
    return assay


def test_the_surface_is_that_of_the_table() -> None:
    """The rows are summed up in another order, so the optimiser may end a little elsewhere."""
    with opened(EARLIER) as assay:
        own = assay.surface().overall
    given = {"y_true": "truth", "y_pred": "new", "history": EARLIER}
    table = aa.estimate(LABELLED, ["topic"], pool=ROWS.drop("truth"), **given).overall  # type: ignore[arg-type]
    assert (own.mean, own.lower, own.upper) == pytest.approx(
        (table.mean, table.lower, table.upper), abs=1e-5
    )


def test_what_was_hard_for_others_makes_the_interval_narrower() -> None:
    with opened(EARLIER) as knowing, opened([]) as blind:
        width = [a.surface().overall.upper - a.surface().overall.lower for a in (knowing, blind)]
        assert width[0] < width[1]
        solved = knowing.session.parts().fits.latest("new").solved
        assert solved.signals.columns == [HISTORY]
        assert knowing.ask(6, annotator="bob").height == 6


@pytest.mark.parametrize(
    ("history", "words"),
    [(["topic"], "'topic', which is an attribute"), (["new"], "which is a column of service")],
)
def test_a_history_is_of_other_services(history: list[str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        opened(history)


def test_a_column_that_the_pool_lacks_is_named() -> None:
    with pytest.raises(UnknownNameError, match="'lost'"):
        opened(["lost"])


def test_a_copy_of_the_score_is_refused() -> None:
    rows = ROWS.with_columns((pl.col("new") == pl.col("truth")).alias("copy"))
    spec = {
        "pool": {"id": "id", "history": ["copy"]},
        "attribute": [{"name": "topic"}],
        "service": [{"name": "new", "column": "new"}],
        "label": {"choices": ["a", "b", "c"]},
    }
    with aa.Assay.create(MemoryStore(), spec, pool=rows.drop("truth")) as assay:
        assay.tell(LABELLED["id"], LABELLED["truth"])
        with pytest.raises(InputError, match="history 'copy' must hold the scores of another"):
            assay.surface()
