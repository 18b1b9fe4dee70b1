"""The calibration file: what is written is read, and what is damaged is named."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from accuracy_assay.calibration.fitted import FittedCalibration
from accuracy_assay.calibration.full import Full
from accuracy_assay.calibration.potential import Potential
from accuracy_assay.calibration.report import CalibrationReport
from accuracy_assay.calibration.temperature import Temperature
from accuracy_assay.errors import InputError
from accuracy_assay.numerics.joint.block_prior import Block


@pytest.mark.parametrize("calibrator", [Temperature(), Full(widths=())])
def test_a_saved_calibration_gives_the_same_rows(calibrator, world, rng, tmp_path: Path) -> None:
    seed, gold = world.draw(100, rng)
    pool, _ = world.draw(30, rng)
    fitted = calibrator.fit(seed, gold, pool, rng)
    fitted.save(tmp_path / "c.calibration")
    loaded = FittedCalibration.load(tmp_path / "c.calibration")
    np.testing.assert_array_equal(
        loaded.affiliation(pool).weights, fitted.affiliation(pool).weights
    )
    assert loaded.space == fitted.space
    assert json.dumps(loaded.report.to_dict()) == json.dumps(fitted.report.to_dict())


def test_a_file_of_version_one_is_read_with_its_temperatures_turned_over(
    world, rng, tmp_path: Path
) -> None:
    seed, gold = world.draw(100, rng)
    fitted = Temperature().fit(seed, gold, seed, rng)
    path = tmp_path / "c.calibration"
    fitted.save(path)
    with zipfile.ZipFile(path) as archive:
        header = json.loads(archive.read("calibration.json"))
    # As version 1 wrote it: powers of M under the name of temperatures, and no key for them.
    powers = header.pop("sharpness")
    details = {"temperatures": dict(zip(world.space.names, powers, strict=True))}
    header |= {"version": 1, "temperatures": powers}
    header["report"]["details"] = details
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("calibration.json", json.dumps(header))
    old = FittedCalibration.load(path)
    np.testing.assert_array_equal(old.affiliation(seed).weights, fitted.affiliation(seed).weights)
    np.testing.assert_array_equal(old.temperatures, fitted.temperatures)
    assert old.report.details["temperatures"]["sex"] == pytest.approx(fitted.temperatures[0])


def test_temperatures_in_the_file_divide(world, tmp_path: Path) -> None:
    report = CalibrationReport("temperature", 0, 0)
    path = tmp_path / "c.calibration"
    sharpness = np.array([0.5, 1.0, 4.0])
    FittedCalibration(world.space, "temperature", sharpness, None, report).save(path)
    with zipfile.ZipFile(path) as archive:
        header = json.loads(archive.read("calibration.json"))
    assert (header["version"], header["temperatures"]) == (2, [2.0, 1.0, 0.25])


def test_a_network_is_kept(make_binary_space, rng, tmp_path: Path) -> None:
    space = make_binary_space(2)
    network = tuple(rng.normal(size=s) for s in ((4, 3), 3, (3, 3), 3, 3))
    blocks = tuple(Block((k,), rng.normal(size=2)) for k in range(2))
    report = CalibrationReport("full", 0, 0)
    fitted = FittedCalibration(space, "full", np.ones(2), Potential(blocks, network), report)
    fitted.save(tmp_path / "c.calibration")
    loaded = FittedCalibration.load(tmp_path / "c.calibration")
    codes = space.codes(np.arange(4))
    np.testing.assert_array_equal(
        loaded.potential.network_values(codes, space.shape),
        fitted.potential.network_values(codes, space.shape),
    )


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"must exist; got .*none\.calibration"):
        FittedCalibration.load(tmp_path / "none.calibration")
    text = tmp_path / "text.calibration"
    text.write_text("hello")
    with pytest.raises(InputError, match=r"got .*text\.calibration' \(BadZipFile"):
        FittedCalibration.load(text)


def test_a_newer_format_asks_for_an_upgrade(world, tmp_path: Path) -> None:
    report = CalibrationReport("temperature", 0, 0)
    path = tmp_path / "c.calibration"
    FittedCalibration(world.space, "temperature", np.ones(3), None, report).save(path)
    with zipfile.ZipFile(path) as archive:
        header = json.loads(archive.read("calibration.json"))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("calibration.json", json.dumps(header | {"version": 99}))
    with pytest.raises(InputError, match=r"got 99 in .* Upgrade accuracy-assay"):
        FittedCalibration.load(path)


def test_a_folded_network_is_kept_and_not_added_again(
    make_binary_space, rng, tmp_path: Path
) -> None:
    space = make_binary_space(2)
    network = tuple(rng.normal(size=s) for s in ((4, 3), 3, (3, 3), 3, 3))
    potential = Potential((Block((0, 1), rng.normal(size=(2, 2))),), folded=network)
    report = CalibrationReport("full", 0, 0)
    FittedCalibration(space, "full", np.ones(2), potential, report).save(
        tmp_path / "c.calibration"
    )
    loaded = FittedCalibration.load(tmp_path / "c.calibration")
    assert loaded.potential.is_exact
    assert loaded.hidden_layers is not None
    for ours, theirs in zip(loaded.hidden_layers, (network[:2], network[2:4]), strict=True):
        np.testing.assert_array_equal(ours[0], theirs[0])
        np.testing.assert_array_equal(ours[1], theirs[1])


def test_what_a_round_trip_of_temperatures_would_lose_is_not_lost(world, tmp_path: Path) -> None:
    sharpness = np.array([1.7, 0.3, 2.9])
    while np.all(1.0 / (1.0 / sharpness) == sharpness):
        sharpness = np.nextafter(sharpness, np.inf)
    report = CalibrationReport("temperature", 0, 0)
    path = tmp_path / "c.calibration"
    FittedCalibration(world.space, "temperature", sharpness, None, report).save(path)
    np.testing.assert_array_equal(FittedCalibration.load(path).sharpness, sharpness)


def rewrite(path: Path, array: np.ndarray | None = None, **changes: object) -> None:
    """Change the header of a saved calibration, and the table of its first block."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(parts["calibration.json"])
    parts["calibration.json"] = json.dumps(header | changes).encode()
    if array is not None:
        out = io.BytesIO()
        np.save(out, array)
        parts["block_0.npy"] = out.getvalue()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"sharpness": [1.0]}, "sharpness must have 2 numbers"),
        ({"sharpness": [1.0, 0.0]}, r"finite and above 0; it is \[1.0, 0.0\]"),
        ({"sharpness": [1.0, float("nan")]}, "finite and above 0"),
        ({"sharpness": [[1.0], [1.0, 2.0]]}, "ValueError"),
        ({"blocks": [[0], [0]]}, r"every attribute once; they are \[\[0\], \[0\]\]"),
        ({"blocks": [[0, 7]]}, "every attribute once"),
        ({"method": "magic"}, r"method must be one of .*; it is 'magic'"),
        ({"array": np.zeros((2, 3))}, r"block_0.npy must have shape \(2, 2\); it has \(2, 3\)"),
        ({"array": np.full((2, 2), np.nan)}, "block_0.npy must hold finite numbers"),
        ({"array": np.zeros((2, 2), np.int64)}, "floating-point"),
    ],
)
def test_what_no_calibration_can_have_is_refused_with_the_files_name(
    make_binary_space, rng, tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    path = tmp_path / "odd.calibration"
    potential = Potential((Block((0, 1), rng.normal(size=(2, 2))),))
    report = CalibrationReport("full", 0, 0)
    FittedCalibration(make_binary_space(2), "full", np.ones(2), potential, report).save(path)
    rewrite(path, **changes)
    with pytest.raises(InputError, match=rf"FittedCalibration.save wrote; got '.*odd.*{said}"):
        FittedCalibration.load(path)


def test_layers_of_a_network_must_fit_together(make_binary_space, rng, tmp_path: Path) -> None:
    path = tmp_path / "c.calibration"
    network = tuple(rng.normal(size=s) for s in ((4, 3), 3, (5, 3), 3, 3))
    potential = Potential((Block((0, 1), rng.normal(size=(2, 2))),), folded=network)
    report = CalibrationReport("full", 0, 0)
    FittedCalibration(make_binary_space(2), "full", np.ones(2), potential, report).save(path)
    with pytest.raises(InputError, match=r"folded_2.npy must have shape \(3, any\); it has \(5"):
        FittedCalibration.load(path)
