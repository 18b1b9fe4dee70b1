"""Files under strain: several who save one path at once, and files that were tampered with.

``savers``: processes save surfaces to one path as fast as they can while another loads it; every
load must give one of the surfaces, whole. ``tampered``: bytes of surface and calibration files are
changed, cut or repeated, in the file and (with sums made good) inside its members; each is loaded
or refused with a message that names the file.
"""

from __future__ import annotations

import io
import random
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from accuracy_assay.calibration.fitted import FittedCalibration
from accuracy_assay.calibration.potential import Potential
from accuracy_assay.calibration.report import CalibrationReport
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.numerics.joint.block_prior import Block

_SEED = 7
_SPACE = AttributeSpace((Attribute("sex", ("F", "M")), Attribute("age", ("young", "old"))))
_SAVE = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
import shared_files
surface = shared_files.make_surface(float(sys.argv[3]))
print("ready", flush=True)
sys.stdin.readline()
for _ in range(int(sys.argv[4])):
    surface.save(Path(sys.argv[2]))
"""


def make_surface(mean: float) -> AccuracySurface:
    """Return a surface that is known by its mean."""
    half = np.full(4, 0.5)
    draws = np.random.default_rng(0).random((64, 4), dtype=np.float32)
    return AccuracySurface(
        _SPACE, np.arange(4), half, half, half, np.full(4, mean), half, 0 * half, 2 * half,
        draws=draws,
    )  # fmt: skip


def savers(folder: Path, n_savers: int, each: int) -> dict[str, Any]:
    """Return how many whole surfaces a reader loaded while others saved; any other load fails."""
    path = folder / "shared.surface"
    make_surface(0.0).save(path)
    here, means = str(Path(__file__).parent), [i / 10 for i in range(1, n_savers + 1)]
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", _SAVE, here, str(path), str(mean), str(each)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for mean in means
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    loads = 0
    while any(process.poll() is None for process in processes):
        assert float(AccuracySurface.load(path).mean[0]) in (0.0, *means)
        loads += 1
        time.sleep(0.001)
    assert [process.wait() for process in processes] == [0] * n_savers
    assert [p.name for p in folder.glob("*shared*")] == [path.name]
    assert not list(folder.glob(".assay-*"))
    return {
        "part": "savers",
        "store": "file",
        "processes": n_savers,
        "saves": n_savers * each,
        "loads meanwhile": loads,
        "loads that were not whole": 0,
        "scraps left": 0,
    }


def tampered(folder: Path, times: int) -> list[dict[str, Any]]:
    """Return for each kind of file how many changed ones were loaded and how many refused."""
    surface, calibration = folder / "t.surface", folder / "t.calibration"
    make_surface(0.5).save(surface)
    potential = Potential((Block((0, 1), np.zeros((2, 2))),))
    report = CalibrationReport("full", 0, 0)
    FittedCalibration(_SPACE, "full", np.ones(2), potential, report).save(calibration)
    return [
        _tamper("surface", surface, AccuracySurface.load, times),
        _tamper("calibration", calibration, FittedCalibration.load, times),
    ]


def _tamper(kind: str, path: Path, load: Callable[[Path], object], times: int) -> dict[str, Any]:
    chance, whole = random.Random(_SEED), path.read_bytes()
    refused = loaded = 0
    for i in range(times):
        path.write_bytes(_changed(whole, chance) if i % 2 else _repacked(whole, chance))
        try:
            load(path)
        except InputError as error:
            refused += path.name in str(error)
        else:
            loaded += 1
    assert refused + loaded == times, "an error did not name the file"
    return {
        "part": "tampered",
        "store": kind,
        "files": times,
        "refused by name": refused,
        "loaded": loaded,
        "tracebacks": 0,
    }


def _changed(content: bytes, chance: random.Random) -> bytes:
    """Return content with a few bytes changed, or a piece cut out or repeated."""
    changed = bytearray(content)
    start = chance.randrange(len(changed))
    end = min(start + chance.randrange(1, 40), len(changed))
    match chance.randrange(4):
        case 0:
            del changed[start:end]
        case 1:
            changed[start:start] = changed[start:end]
        case 2:
            changed[start:end] = bytes(chance.randrange(256) for _ in range(end - start))
        case _:
            changed[start] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _repacked(whole: bytes, chance: random.Random) -> bytes:
    """Return an archive with one member changed and all checksums as they should be."""
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = chance.choice(sorted(members))
    members[name] = _changed(members[name], chance)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    return out.getvalue()
