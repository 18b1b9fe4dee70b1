"""What an edit writes, and what it refuses before anything is written."""

import pytest

from accuracy_assay.domain.events import Edited, PoolChanged
from accuracy_assay.errors import InputError
from accuracy_assay.session.editing import edit_events


def events(bench, assay, changes):
    with assay._journal.reading() as ledger:
        return edit_events(assay.spec, assay._rows, (bench.pool, None, None), ledger, changes)


def test_nothing_is_written_where_all_was_so_already(bench) -> None:
    assay = bench.create()
    assert events(bench, assay, {"assay": {"budget": assay.spec.assay.budget}}) == ()
    assert events(bench, assay, assay.spec) == ()


def test_a_column_that_is_new_to_the_spec_gets_its_fingerprint(bench) -> None:
    assay = bench.create()
    (only,) = events(bench, assay, {"assay": {"batch": 3}})
    assert isinstance(only, Edited)
    _, fresh = events(bench, assay, {"service": [{"name": "new", "column": "truth"}]})
    assert isinstance(fresh, PoolChanged)
    assert set(fresh.columns) == {"truth"}


def test_choices_that_an_attribute_is_made_of_cannot_grow(bench) -> None:
    assay = bench.create(attribute=[{"name": "sex"}, {"name": "kind", "from_label": True}])
    with pytest.raises(InputError, match="attributes must keep their values"):
        events(bench, assay, {"label": {"choices": ["cat", "dog", "cow"]}})
