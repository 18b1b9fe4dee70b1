import json
from pathlib import Path


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


def test_a_file_that_is_no_surface_is_a_users_mistake(assay, rows: Path) -> None:
    answer = assay("report", rows)
    assert answer.code == 2
    assert "Traceback" not in answer.err


def test_json_names_the_files_and_the_whole(assay, saved: Path) -> None:
    found = json.loads(assay("report", saved, "--json").out)
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
