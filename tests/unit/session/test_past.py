"""The surface as it was is that of the events up to a moment, and the past takes no events."""

from typing import Any

import polars as pl
import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.session.past import PastStore, labelled_span, past_surface, surface_after


def test_the_past_is_the_surface_that_was_there_then(bench: Any) -> None:
    assay = bench.create()
    rows = assay.pool.head(8)
    assert labelled_span(assay.session) is None
    assay.tell(rows["id"][:4], ["cat", "dog"] * 2, "ann")
    before = assay.surface("good")
    last = assay.status().events
    assay.tell(rows["id"][4:], ["dog", "cat"] * 2, "ann")
    past = surface_after(assay.session, "good", last)
    assert past.n_labels == before.n_labels == 4
    assert past.overall == before.overall
    assert past.to_frame().equals(before.to_frame())
    assert past.details["provenance"] == before.details["provenance"]
    now, before_all = assay.surface("good"), past_surface(assay.session, "good", 0.0)
    assert past_surface(assay.session, "good", 1e12).overall == now.overall
    assert before_all.n_labels == 0
    span = labelled_span(assay.session)
    assert span is not None
    assert span[0] <= span[1]


def test_the_past_takes_no_events(bench: Any) -> None:
    assay = bench.create()
    past = PastStore(assay.session.journal.store, 1)
    assert [entry.seq for entry in past.read(assay.name)] == [1]
    assert past.read(assay.name, 2) == ()
    with pytest.raises(InputError, match="the past must stay"):
        past.append(assay.name, [])
    with pytest.raises(InputError, match="the past must stay"):
        past.create("other", [])
    assert past.list() == assay.session.journal.store.list()
    assert isinstance(assay.pool, pl.DataFrame)
