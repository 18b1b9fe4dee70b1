"""A folder of logs of any format, from the command line: a surface and a comparison."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Answer
from command_line import assay as assay
from written_logs import RIGHT, WRITERS, N

from accuracy_assay.study.read.open_rows import read_log

SERVICE = {"promptfoo": "acme:large", "helm": "acme/large", "every-eval-ever": "acme/large"}
METRIC = {"promptfoo": "pass", "helm": "exact_match"}
"""The metric, for logs that hold several."""


@pytest.fixture(params=WRITERS)
def log(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    WRITERS[request.param](tmp_path)
    return request.param, tmp_path


def arguments(name: str, folder: Path, **more: str) -> list[str]:
    attribute = "sub_split" if name == "helm" else "topic"
    if name in METRIC:
        more["metric"] = METRIC[name]
    options = [part for key, value in more.items() for part in (f"--{key}", value)]
    return [str(folder), "-a", attribute, *options, "--json"]


def test_the_average_of_a_folder_of_logs_is_the_log_s_own(log: tuple[str, Path]) -> None:
    found = read_log(log[1])
    metric = METRIC.get(log[0], found.metrics[0])
    for name, service in found.by_service.items():
        right = RIGHT[name.split("/")[-1].split(":")[-1]]
        assert found.rows.get_column(service.scores[metric]).mean() == right / N


def test_a_surface_of_a_folder_of_logs(
    assay: Callable[..., Answer], log: tuple[str, Path]
) -> None:
    name, folder = log
    said = assay("surface", *arguments(name, folder, service=SERVICE.get(name, "large")))
    assert said.code == 0, said.err
    arms = json.loads(said.out)["worst"]
    assert sum(arm["n"] for arm in arms) == N
    assert sum(arm["correct"] for arm in arms) == RIGHT["large"]


def test_a_comparison_of_a_folder_of_logs(
    assay: Callable[..., Answer], log: tuple[str, Path]
) -> None:
    name, folder = log
    said = assay("compare", *arguments(name, folder))
    assert said.code == 0, said.err
    best, other = json.loads(said.out)["places"]
    assert best["name"] == SERVICE.get(name, "large")
    assert [place["estimate"]["n"] for place in (best, other)] == [N, N]
