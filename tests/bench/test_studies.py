"""Studies: found by name, their draws kept, their tables shown."""

from pathlib import Path

import polars as pl
import pytest

from accuracy_assay.errors import UnknownNameError
from assay_bench.studies import STUDIES, load_study, study_section, write_draws
from assay_bench.study import Study

_DRAWS = pl.DataFrame({"seed": [0, 1], "error": [0.25, None]})
_STUDY = Study("A title", lambda *_: _DRAWS, lambda d: {"All": d}, n_draws=2, labels=(10,))


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_can_be_loaded(name: str) -> None:
    assert load_study(name).title


def test_an_unknown_study_is_refused_by_name() -> None:
    with pytest.raises(UnknownNameError, match="annotatrs"):
        load_study("annotatrs")


def test_a_section_shows_numbers_with_two_digits_and_nothing_for_none() -> None:
    section = study_section("mine", _STUDY, _DRAWS)
    (table,) = section.tables
    assert section.title == "A title"
    assert table.rows == [("0", "0.25"), ("1", "")]


def test_draws_are_kept_as_they_are(tmp_path: Path) -> None:
    (path,) = write_draws("mine", _DRAWS, tmp_path)
    assert pl.read_csv(path).equals(_DRAWS)
