import os
from pathlib import Path

import pytest

from accuracy_assay.cli.outputs import make_folder, require_outputs
from accuracy_assay.errors import InputError


@pytest.mark.parametrize(
    ("what", "name", "message"),
    [
        ("surface", "none/s.surface", "surface must go to an existing folder; got 'none'"),
        ("surface", "folder", "surface must be a file; got 'folder', which is a folder"),
        ("surface", os.devnull, "which is a device"),
        ("surface", "s.csv", "surface must have an ending such as .surface; got 's.csv'"),
        ("metrics", "m.parquet", "metrics must have an ending such as .csv"),
        ("page", "p.surface", "the ending of a surface"),
        ("picture", "p.bmp", "ending of picture 'p.bmp' must be one of"),
        ("surface", "rows.csv", "ending such as .surface"),
        ("calibration", "pool", "which is an input of this command"),
    ],
)
def test_a_result_that_cannot_be_written_is_refused_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, name: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "pool").write_text("x")
    with pytest.raises(InputError) as refused:
        require_outputs({what: Path(name)}, ["pool", None])
    assert message in str(refused.value)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder", "pool"]


def test_two_results_need_two_files(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with pytest.raises(InputError, match="which is the metrics of this command"):
        require_outputs({"metrics": path, "surface": path})


def test_any_ending_that_means_nothing_else_will_do(tmp_path: Path) -> None:
    require_outputs({"surface": tmp_path / "google.v2", "page": None, "picture": None})
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_results_is_made_or_refused_first(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").write_text("x")
    for name in ("file", "file/deep"):
        with pytest.raises(InputError, match="folder of results must exist"):
            make_folder(tmp_path / name)
