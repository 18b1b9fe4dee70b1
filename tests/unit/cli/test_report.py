import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.cli.report import cases_of
from accuracy_assay.demo.thumbnails import encode_png
from accuracy_assay.reports.report import Report, report_of
from accuracy_assay.storage.memory import MemoryStore

N = 60
PNG = encode_png(np.zeros((2, 2), np.uint8))


def test_the_page_stands_alone(assay, saved: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    picture = tmp_path / "picture.png"
    answer = assay("report", saved, "--out", page, "--picture", picture, "--title", "My service")
    assert answer.code == 0, answer.err
    text = page.read_text()
    assert "My service" in text
    assert "<script src=" not in text
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_by_default_it_lies_beside_the_surface_and_has_its_name(assay, saved: Path) -> None:
    answer = assay("report", saved)
    assert answer.code == 0, answer.err
    page = saved.with_suffix(".html")
    assert str(page) in "".join(answer.err.split())
    assert "<title>s" in page.read_text()


def test_a_table_must_become_a_surface_first(assay, rows: Path) -> None:
    answer = assay("report", rows)
    assert answer.code == 2
    said = " ".join(answer.err.split())
    assert f"assay surface {rows} --out s.surface --attribute COLUMN" in said


def test_a_file_that_is_no_surface_is_a_users_mistake(assay, rows: Path) -> None:
    answer = assay("report", rows.rename(rows.with_suffix(".surface")))
    assert answer.code == 2
    assert "Traceback" not in answer.err


def test_json_names_the_files_and_the_whole(assay, saved: Path) -> None:
    found = json.loads(assay("report", saved, "--json").out)
    assert found["verdict"] == str(aa.AccuracySurface.load(saved)).splitlines()[0]
    assert found["files"] == [str(saved.with_suffix(".html"))]
    assert 0.0 < found["overall"]["mean"] < 1.0


def test_each_figure_is_a_png_and_a_pdf(assay, saved: Path, tmp_path: Path) -> None:
    answer = assay("report", saved, "--figures", tmp_path / "figures", "--json")
    assert answer.code == 0, answer.err
    written = [Path(name) for name in json.loads(answer.out)["files"]]
    names = {path.stem for path in written[1:]}
    assert names == {"surface", "slices", "attribute-sex", "attribute-age"}
    assert all((tmp_path / "figures" / f"{n}.{e}").exists() for n in names for e in ("png", "pdf"))
    assert assay("report", saved, "--figures", saved).code == 2


def test_no_page_replaces_the_surface(assay, saved: Path) -> None:
    before = saved.read_bytes()
    assert assay("report", saved, "--out", saved).code == 2
    assert assay("report", saved, "--picture", saved.with_suffix(".bmp")).code == 2
    assert saved.read_bytes() == before
    assert not saved.with_suffix(".html").exists()


def test_the_page_of_an_assay_shows_what_others_say(assay, providers: str) -> None:
    assert assay("run", providers, "--answers", "labels.csv").code == 0
    answer = assay("report", providers, "--service", "good")
    assert answer.code == 0, answer.err
    page = Path(providers).with_suffix(".html").read_text()
    for heading in ("llm of good", "Where other services agree", "Rows on which all services"):
        assert heading in page


def test_options_of_an_assay_are_refused_for_a_surface(assay, saved: Path) -> None:
    answer = assay("report", saved, "--service", "a")
    assert answer.code == 2
    assert "and --service" in answer.err


@pytest.fixture(scope="module")
def pets() -> aa.Assay:
    """A reader that is always wrong where the light is dim; images of bytes, paths and none."""
    light = ["dim" if i < N // 3 else "bright" for i in range(N)]
    rows: dict[str, Any] = {
        "id": [f"x{i}" for i in range(N)],
        "light": light,
        "size": ["small", "large", "large"] * (N // 3),
        "text": [f"<b>animal {i}" for i in range(N)],
        "photo": [PNG if i % 2 else b"no image" for i in range(N)],
        "guess": ["dog" if x == "dim" else "cat" for x in light],
    }
    rows["guess"][0] = "cat"
    spec = {
        "assay": {"name": "pets", "estimator": "beta-independent", "strategy": "random"},
        "attribute": [{"name": "light"}, {"name": "size"}],
        "service": [{"name": "reader", "column": "guess"}],
        "label": {"choices": ["cat", "dog"], "show": {"image": "photo", "text": "text"}},
    }
    made = aa.Assay.create(MemoryStore(), spec, pool=pl.DataFrame(rows))
    made.tell(rows["id"], ["cat"] * N, "ann")
    return made


@pytest.fixture(scope="module")
def shown(pets: aa.Assay) -> Report:
    return report_of(pets.surface(), "pets")


def test_wrong_instances_come_first_with_label_answer_text_and_image(
    pets: aa.Assay, shown: Report
) -> None:
    cases = cases_of(pets, "reader", shown, 3)["light = dim"]
    assert [case.id for case in cases] == ["x1", "x2", "x3"]
    assert {(case.label, case.answer, case.is_right) for case in cases} == {("cat", "dog", False)}
    assert cases[0].shown == {"text": "<b>animal 1"}
    assert cases[0].picture == ("image/png", PNG)
    assert cases[1].picture is None


def test_all_labelled_instances_of_the_slice_are_there_if_wanted(
    pets: aa.Assay, shown: Report
) -> None:
    cases = cases_of(pets, "reader", shown, 100)["light = dim"]
    assert len(cases) == N // 3
    assert cases[-1].id == "x0"
    assert cases[-1].is_right


def test_weak_arms_have_instances_of_their_own(pets: aa.Assay, shown: Report) -> None:
    found = cases_of(pets, "reader", shown, 100)
    small, large = (found[f"light = dim and size = {size}"] for size in ("small", "large"))
    assert {case.id for case in small} == {f"x{i}" for i in range(0, N // 3, 3)}
    assert len(small) + len(large) == N // 3


def test_none_are_shown_where_none_are_wanted(pets: aa.Assay, shown: Report) -> None:
    assert cases_of(pets, "reader", shown, 0) == {}
