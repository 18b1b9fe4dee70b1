"""Every package that ours needs, with any extra, has a licence that goes with Apache-2.0."""

import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
ALLOWED = {
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "CNRI-Python",
    "ISC",
    "MIT",
    "MIT-CMU",
    "MPL-2.0",  # covers its own files alone
    "PSF-2.0",
    "Zlib",
}
SAID_OTHERWISE = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
BY_HAND = {
    "axe-playwright-python": "its metadata names none; its repository says MIT. For tests alone",
    "psycopg": "LGPL-3.0-only: a library that users install themselves, with the extra postgres",
    "psycopg-binary": "as psycopg",
}


def licence_of(found: Distribution) -> str:
    """Return the licence that a distribution states, as an SPDX expression where it has one."""
    about = found.metadata
    if "License-Expression" in about:
        return str(about["License-Expression"])
    classifiers = [
        line.rsplit(" :: ", 1)[-1]
        for line in about.get_all("Classifier") or []
        if line.startswith("License :: ")
    ]
    said = " AND ".join(SAID_OTHERWISE.get(name, name) for name in classifiers)
    first = (about.get("License") or "none").strip().splitlines()[0]
    return said or SAID_OTHERWISE.get(first, first)


def is_allowed(licence: str) -> bool:
    choices = (choice.strip("() ").split(" AND ") for choice in licence.split(" OR "))
    return any(all(part.strip("() ") in ALLOWED for part in parts) for parts in choices)


def needed() -> dict[str, Distribution]:
    """Return the installed distributions that our extras pull in, by name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].values()
    open_ones = [*project["dependencies"], *(line for lines in extras for line in lines)]
    todo = [Requirement(line) for line in open_ones]
    seen: set[tuple[str, str]] = set()
    found: dict[str, Distribution] = {}
    while todo:
        wanted = todo.pop()
        name = canonicalize_name(wanted.name)
        try:
            found.setdefault(name, distribution(name))
        except PackageNotFoundError:  # of an extra, or a system, that is not this one's
            continue
        for extra in {"", *wanted.extras} - {e for n, e in seen if n == name}:
            seen.add((name, extra))
            below = [Requirement(line) for line in found[name].requires or ()]
            todo += [r for r in below if r.marker is None or r.marker.evaluate({"extra": extra})]
    return found


def test_every_licence_goes_with_ours() -> None:
    found = needed()
    assert {"numpy", "jax", "fastapi", "psycopg", "ray", "pytest"} <= found.keys()
    others = {
        name: licence_of(each)
        for name, each in found.items()
        if name not in BY_HAND and not is_allowed(licence_of(each))
    }
    assert others == {}


def test_what_was_looked_up_by_hand_is_still_needed() -> None:
    assert needed().keys() >= BY_HAND.keys()
    assert not [name for name in BY_HAND if is_allowed(licence_of(needed()[name]))]


@pytest.mark.parametrize(
    ("licence", "expected"),
    [
        ("MIT", True),
        ("MIT AND PSF-2.0", True),
        ("GPL-3.0-only OR MIT", True),
        ("GPL-3.0-or-later", False),
        ("MIT AND GPL-2.0-only", False),
        ("none", False),
        ("GNU General Public License v3 (GPLv3)", False),
    ],
)
def test_a_licence_must_be_allowed_in_all_its_parts(licence: str, expected: bool) -> None:
    assert is_allowed(licence) == expected


def test_the_lock_has_a_hash_for_every_requirement_and_no_address() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    assert "://" not in lock
    assert "krippendorff" not in lock
    entries = [
        part for part in lock.replace("\\\n", " ").splitlines() if part[:1] not in ("#", "")
    ]
    assert len(entries) > 100
    for entry in entries:
        requirement, *hashes = entry.split()
        assert Requirement(requirement).specifier
        assert hashes, requirement
        assert all(h.startswith("--hash=sha256:") and len(h) == 78 for h in hashes), requirement
    locked = {canonicalize_name(Requirement(entry.split()[0]).name) for entry in entries}
    assert not {name for name in needed() if name not in locked} - {"accuracy-assay"}
