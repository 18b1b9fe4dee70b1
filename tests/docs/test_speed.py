"""The page on speed shows the figures that were measured."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_tables_of_the_gpu_are_made_of_its_figures() -> None:
    spec = importlib.util.spec_from_file_location("gpu", ROOT / "benchmarks" / "gpu.py")
    assert spec is not None
    assert spec.loader is not None
    gpu = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(gpu)
    text = (ROOT / "docs" / "speed.md").read_text(encoding="utf-8")
    shown = text.split(gpu.BEGIN)[1].split(gpu.END)[0]
    assert shown.strip() == gpu.page().strip()
