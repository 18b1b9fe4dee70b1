"""The ``.surface`` file: portable, whole or not at all, and honest about damage."""

import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from accuracy_assay.domain.factored_arms import FactoredArms
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.files import surface_file

SPACE = AttributeSpace(
    (
        Attribute("sex", ("F", "M")),
        Attribute("old", (False, True), kind="boolean"),
        Attribute("hour", kind="continuous", edges=(6.0, 12.5)),
    )
)


def toy(**changes: Any) -> AccuracySurface:
    half = {name: np.linspace(0.1, 0.5, 12) for name in ("n", "correct", "support", "mean", "sd")}
    return AccuracySurface(
        **{"space": SPACE, "arms": np.arange(12), "lower": np.zeros(12), "upper": np.ones(12)}
        | half
        | changes
    )


def test_what_was_saved_is_loaded(tmp_path: Path, rng: np.random.Generator) -> None:
    path = tmp_path / "s.surface"
    draws = rng.random((20, 12), dtype=np.float32)
    saved = toy(draws=draws, details={"estimator": "toy", "steps": 3}, level=0.8, memory=object())
    saved.save(path)
    loaded = AccuracySurface.load(str(path))
    assert loaded.space == SPACE
    assert loaded.to_frame().equals(saved.to_frame())
    assert loaded.level == 0.8
    assert loaded.details == {"estimator": "toy", "steps": 3}
    assert loaded.memory is None
    np.testing.assert_array_equal(loaded.draws, draws)
    assert loaded.overall == saved.overall


def test_the_file_is_what_the_documentation_says(tmp_path: Path) -> None:
    path = tmp_path / "s.surface"
    toy(draws=np.zeros((2, 12), np.float32)).save(path)
    with zipfile.ZipFile(path) as archive:
        assert archive.namelist() == ["surface.json", "arms.parquet", "draws.npy"]
        header = json.loads(archive.read("surface.json"))
        arms = pl.read_parquet(io.BytesIO(archive.read("arms.parquet")))
    assert header["format"] == "accuracy-assay surface"
    assert header["version"] == surface_file.FORMAT_VERSION == 1
    assert header["attributes"][2] == {
        "name": "hour",
        "kind": "continuous",
        "values": ["< 6", "6 to 12.5", ">= 12.5"],
        "edges": [6.0, 12.5],
    }
    columns = ["n", "correct", "support", "mean", "sd", "lower", "upper"]
    assert arms.columns == ["arm", *columns]


def test_numbers_of_numpy_in_the_details_do_not_lose_the_surface(tmp_path: Path) -> None:
    path = tmp_path / "s.surface"
    toy(details={"loss": np.float64(0.5), "w": np.arange(2), "path": tmp_path}).save(path)
    assert AccuracySurface.load(path).details == {"loss": 0.5, "w": [0, 1], "path": str(tmp_path)}


def test_a_write_that_fails_leaves_the_old_file_and_no_scraps(tmp_path: Path) -> None:
    path = tmp_path / "s.surface"
    toy().save(path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="Object arrays"):
        surface_file.write(path, {}, pl.DataFrame(), np.array([object()]))  # type: ignore[arg-type]
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["s.surface"]


def test_a_missing_file_or_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"surface file must exist; got '.*none.surface'"):
        AccuracySurface.load(tmp_path / "none.surface")
    with pytest.raises(InputError, match=r"must go to an existing folder; got '.*nowhere'"):
        toy().save(tmp_path / "nowhere" / "s.surface")


def rewrite(path: Path, member: str, content: bytes | None) -> None:
    """Replace or drop one member of a saved surface."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts.pop(member)
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in (parts | ({} if content is None else {member: content})).items():
            archive.writestr(name, part)


def header(**changes: Any) -> bytes:
    base = {"format": "accuracy-assay surface", "version": 1, "level": 0.9, "details": {}}
    return json.dumps({**base, "attributes": [], **changes}).encode()


@pytest.mark.parametrize(
    ("member", "content"),
    [
        ("surface.json", None),
        ("surface.json", b"not json"),
        ("surface.json", b"[1, 2]"),
        ("surface.json", b"{}"),
        ("surface.json", header(format="another")),
        ("surface.json", header(attributes=[{"name": "sex"}])),
        ("arms.parquet", None),
        ("arms.parquet", b"not parquet"),
        ("draws.npy", b"not an array"),
    ],
)
def test_a_damaged_or_foreign_file_is_refused(
    tmp_path: Path, member: str, content: bytes | None
) -> None:
    path = tmp_path / "s.surface"
    toy(draws=np.zeros((2, 12), np.float32)).save(path)
    rewrite(path, member, content)
    with pytest.raises(InputError, match=r"must be one that AccuracySurface.save wrote; got '"):
        AccuracySurface.load(path)


def test_a_file_that_is_no_archive_or_was_cut_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.surface"
    toy().save(path)
    whole = path.read_bytes()
    scrambled = whole[:60] + bytes(200) + whole[260:]
    for content in (b"", b"prose", whole[: len(whole) // 2], scrambled):
        path.write_bytes(content)
        with pytest.raises(InputError, match="surface file must be one that"):
            AccuracySurface.load(path)


def test_a_file_of_a_later_version_asks_for_an_upgrade(tmp_path: Path) -> None:
    path = tmp_path / "s.surface"
    toy().save(path)
    rewrite(path, "surface.json", header(version=2))
    with pytest.raises(InputError, match=r"version 1 or lower; got 2 .* Upgrade accuracy-assay"):
        AccuracySurface.load(path)


def write_by_hand(path: Path, draws: Any = None, level: float = 0.9, **changes: Any) -> None:
    """Write a file that no surface would write: some of its columns are changed."""
    one = toy()
    columns = {"arm": one.arms} | {c: getattr(one, c) for c in surface_columns}
    described = {"level": level, "attributes": SPACE.to_json(), "details": {}}
    surface_file.write(path, described, pl.DataFrame(columns | changes), draws)


surface_columns = ("n", "correct", "support", "mean", "sd", "lower", "upper")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"arm": np.arange(12) + 1}, "arms must be numbers from 0 to 11; got 12"),
        ({"arm": np.arange(12) // 2}, "arms must increase; got 0 after 0"),
        ({"arm": [None, *range(1, 12)]}, "arm"),
        ({"support": np.full(12, -1.0)}, "support must be at least 0; got -1 in arm 0"),
        ({"correct": np.full(12, 2.0)}, "correct must be at most n"),
        ({"mean": [None] * 12}, "mean must be finite; got nan"),
        ({"mean": ["half"] * 12}, "half"),
        ({"lower": np.full(12, 0.9)}, "mean must lie in its interval"),
        ({"level": 5}, "level must lie between 0 and 1; got 5"),
        ({"draws": np.full((2, 12), np.nan, np.float32)}, "draws.npy must hold finite numbers"),
        ({"draws": np.full((2, 12), 2.0, np.float32)}, r"draws must lie in \[0, 1\]; got 2"),
        ({"draws": np.zeros((2, 11), np.float32)}, r"must have shape \(any, 12\)"),
        ({"draws": np.zeros((2, 12), np.int64)}, "floating-point numbers"),
        ({"draws": np.zeros((0, 12), np.float32)}, r"draws must have shape \(S, 12\)"),
    ],
)
def test_numbers_that_no_surface_can_have_are_refused_with_the_files_name(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    path = tmp_path / "odd.surface"
    write_by_hand(path, **changes)
    with pytest.raises(InputError, match=rf"(?s)AccuracySurface.save wrote; got '.*odd.*{said}"):
        AccuracySurface.load(path)


def test_nothing_in_a_file_is_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "s.surface"
    toy(draws=np.zeros((2, 12), np.float32)).save(path)
    pickled = io.BytesIO()
    np.save(pickled, np.array([{"a": 1}]), allow_pickle=True)
    rewrite(path, "draws.npy", pickled.getvalue())
    with pytest.raises(InputError, match="surface file must be one that"):
        AccuracySurface.load(path)


def test_the_documented_reader_finds_the_same_arms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = Path(__file__).parents[3] / "docs" / "surface-format.md"
    code = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)[0]
    toy().save(tmp_path / "s.surface")
    monkeypatch.chdir(tmp_path)
    shown: list[pl.DataFrame] = []
    exec(code, {"print": shown.append})
    names = ["sex", "old", "hour"]
    assert shown[0].select(names).rows() == toy().to_frame().select(names).rows()


def test_factors_are_kept_and_averages_of_many_arms_are_read_from_them(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    space = AttributeSpace((Attribute("a", tuple(range(20))),))
    F = (0.01 * rng.standard_normal((20, 3))).astype(np.float32)
    terms = np.tile([1e-5, 0.03, -0.002, 0.0], (20, 1))
    draws = rng.random((8, 20), dtype=np.float32)
    values = {name: np.full(20, 0.5) for name in ("n", "correct", "support", "mean", "sd")}
    ends = {"lower": np.full(20, 0.4), "upper": np.full(20, 0.6)}
    joint = FactoredArms(values["mean"], F, terms, draws)
    saved = AccuracySurface(space, np.arange(20), **values, **ends, draws=draws, joint=joint)
    saved.save(tmp_path / "s.surface")
    loaded = AccuracySurface.load(tmp_path / "s.surface")
    assert isinstance(loaded.joint, FactoredArms)
    np.testing.assert_allclose(loaded.joint.F, F, rtol=1e-3)
    assert loaded.overall.sd == pytest.approx(saved.overall.sd, rel=1e-3)
    few = {"a": [0, 1, 2]}
    assert loaded.at(**few) == saved.at(**few)


@pytest.mark.parametrize("shape", [(11, 3), (12,)])
def test_factors_of_another_shape_are_damage(tmp_path: Path, shape: tuple[int, ...]) -> None:
    path = tmp_path / "s.surface"
    toy(draws=np.zeros((2, 12), np.float32)).save(path)
    with zipfile.ZipFile(path, "a") as archive:
        for name, array in (("factors", np.zeros(shape)), ("terms", np.zeros((12, 4)))):
            content = io.BytesIO()
            np.save(content, array)
            archive.writestr(f"{name}.npy", content.getvalue())
    with pytest.raises(InputError, match=r"factors\.npy must have shape"):
        AccuracySurface.load(path)
