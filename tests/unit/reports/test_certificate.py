"""A certificate: where it lets a judge decide, and when it has expired."""

import numpy as np
import polars as pl
import pytest
from certified_world import certified_world

import accuracy_assay as aa
from accuracy_assay.errors import InputError
from accuracy_assay.reports.certificate import Support


@pytest.fixture
def rows(rng: np.random.Generator) -> pl.DataFrame:
    return certified_world(rng)


@pytest.fixture
def found(rows: pl.DataFrame) -> aa.Certificate:
    return aa.certify(
        rows,
        ["topic", "length"],
        "right",
        judge="llm",
        tolerance=0.05,
        service="bot",
        settings={"version": "1", "prompt": "Is it right?"},
        made="2026-05-01",
    )


def test_a_refused_slice_wins_over_a_certified_one(
    found: aa.Certificate, rows: pl.DataFrame
) -> None:
    for by_slice in (False, True):
        may = found.decides(rows, rows["llm"], by_slice=by_slice)
        assert not may[(rows["topic"] == "law").to_numpy()].any()
        assert may.any()
    assert found.decides(rows, rows["llm"], by_slice=False)[
        (rows["topic"] != "law").to_numpy()
    ].all()


def test_scores_that_no_label_has_seen_and_missing_ones_decide_nothing(
    found: aa.Certificate, rows: pl.DataFrame
) -> None:
    nothing = pl.Series([None] * rows.height, dtype=pl.Float64)
    assert not found.decides(rows, nothing, by_slice=False).any()
    beyond = Support(0.2, 0.8).is_beyond(pl.Series([0.1, 0.2, 0.5, 0.9]))
    assert beyond.tolist() == [True, False, False, True]


def test_new_values_and_services_are_refused_by_name(
    found: aa.Certificate, rows: pl.DataFrame
) -> None:
    with pytest.raises(InputError, match=r"topic must be among those .* got poems"):
        found.decides(rows.with_columns(topic=pl.lit("poems")), rows["llm"], by_slice=False)
    with pytest.raises(InputError, match=r"services must be among those .* got zen"):
        found.decides(rows.with_columns(bot=pl.lit("zen")), rows["llm"], by_slice=False)
    with pytest.raises(InputError, match="got none named 'length'"):
        found.decides(rows.drop("length"), rows["llm"], by_slice=False)


def test_it_expires_with_the_settings_and_the_services(found: aa.Certificate) -> None:
    same = {"version": "1", "prompt": "Is it right?"}
    assert found.expired(same, ["acme"]) == []
    assert "version was '1' and is '2'" in found.expired({**same, "version": "2"})[0]
    assert "nothing says what they are now" in found.expired(None)[0]
    assert "temperature was not set" in found.expired({**same, "temperature": "0"})[0]
    assert "acme, bolt, not of zen" in found.expired(same, ["zen"])[0]


def test_the_table_has_a_row_per_slice(found: aa.Certificate) -> None:
    table = found.to_frame()
    assert table.height == len(found.slices)
    assert table.columns[:8] == [
        *("slice", "service", "verdict", "difference", "lower", "upper"),
        *("labels", "labels_needed"),
    ]
    settled = table.filter(pl.col("verdict") != "not enough labels")
    assert settled["labels_needed"].to_list() == [0] * settled.height


def test_a_loaded_certificate_has_no_rows_to_label(found: aa.Certificate, tmp_path) -> None:
    found.save(tmp_path / "c.json")
    with pytest.raises(InputError, match="got one from a file"):
        aa.Certificate.load(tmp_path / "c.json").rows_to_label(3)
