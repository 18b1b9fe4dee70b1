from pathlib import Path

import polars as pl
import pytest

from accuracy_assay.tasks.registry import load_task


@pytest.mark.parametrize(
    ("name", "service"),
    [
        ("am2g", "google"),
        ("am2d", "deepspeech"),
        ("am3g", "google"),
        ("am3d", "deepspeech"),
        ("am1n", "google"),
        ("am1n-deepspeech", "deepspeech"),
    ],
)
def test_each_task_is_of_its_service_and_without_training_rows(
    tables: Path, name: str, service: str
) -> None:
    task = load_task(name, tables)
    assert task.rows["id"].to_list() == [0, 1]
    assert len(task.attributes) == 5
    assert task.score == f"{service}_correct"
    assert task.signals == (f"{service}_confidence",)
    assert task.y_pred == task.services[service] == f"{service}_pred"


def test_the_other_services_are_referees_where_attributes_are_exact(tables: Path) -> None:
    others = ("microsoft_pred", "ibm_pred")
    assert load_task("am3g", tables).referees == (*others, "deepspeech_pred")
    assert load_task("am3d", tables).referees == ("google_pred", *others)
    assert load_task("am1n", tables).referees == ()


@pytest.mark.parametrize(
    ("name", "attribute", "values"),
    [("am2g", "duration_band", ("short", "long")), ("am1n", "age_band", ("22_24", "30p"))],
)
def test_bands_are_ordinal_in_their_true_order(
    tables: Path, name: str, attribute: str, values: tuple[str, ...]
) -> None:
    by_name = {a.name: a for a in load_task(name, tables).columns.attributes}
    assert (by_name[attribute].kind, by_name[attribute].values) == ("ordinal", values)


def test_speakers_attributes_are_guessed_and_the_digit_comes_from_the_label(
    tables: Path,
) -> None:
    task = load_task("am1n", tables)
    assert set(task.evidence) == {"gender", "native_speaker", "accent_group", "age_band"}
    assert task.from_label == ("digit",)
    assert load_task("am2g", tables).evidence == {}


def test_recordings_of_a_speaker_can_be_told_and_have_an_age(tables: Path) -> None:
    path = tables / "audiomnist" / "pool.parquet"
    rows = pl.read_parquet(path)
    ages = pl.Series("age_band", [None, "30p", "22_24"])
    rows.with_columns(ages).write_parquet(path)
    task = load_task("am3g", tables)
    assert task.rows["speaker"].to_list() == [8]
    assert "digit" not in task.attributes
    assert load_task("am2g", tables).n_rows == 2
