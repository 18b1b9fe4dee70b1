"""Phrases that readers stumbled over stay out of everything that people read."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RETIRED = {
    "told as one": "merged",
    "expected to be none": "may be false alarms",
    "every arm alike": "each combination weighted equally",
    "none of its kind": "out of range",
    "a file that is none": "a file that isn't a surface",
    "carry out a text": "execute cells",
    "less is better": "lower is better",
    "one score a pair": "one score per pair",
    "labels are dear": "labels are expensive",
}
"""What is not said any more, and what is said instead."""
READ = ("src/accuracy_assay/**/*.py", "src/accuracy_assay/**/*.js", "src/accuracy_assay/**/*.html")
PAGES = ("*.md", "docs/**/*.md")


@pytest.fixture(scope="module")
def texts() -> dict[Path, str]:
    """Every file that has words for people, but for the history of what was changed."""
    files = [path for pattern in (*READ, *PAGES) for path in ROOT.glob(pattern)]
    kept = [path for path in files if path.name != "CHANGELOG.md"]
    return {path: " ".join(path.read_text(encoding="utf-8").split()) for path in kept}


@pytest.mark.parametrize("phrase", RETIRED)
def test_a_phrase_that_was_retired_is_said_nowhere(phrase: str, texts: dict[Path, str]) -> None:
    assert len(texts) > 100
    found = [str(path.relative_to(ROOT)) for path, text in texts.items() if phrase in text]
    assert found == [], f"write {RETIRED[phrase]!r}"
