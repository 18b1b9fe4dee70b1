"""There is one version: the package's, which reports name."""

import tomllib
from pathlib import Path

import accuracy_assay
from accuracy_assay.runtime.version import __version__

PROJECT = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())


def test_the_version_is_that_of_the_package_and_of_the_distribution() -> None:
    assert accuracy_assay.__version__ == __version__ == PROJECT["project"]["version"]
