"""The calibration file: what is written is read, and what is damaged is named."""

import json
import zipfile
from pathlib import Path

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
