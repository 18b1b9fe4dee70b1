"""Run the examples of the documentation, and compare or write down what they print and draw.

A page's blocks run in order, in one empty folder: Python is executed, each line of a ``bash``
block must be an ``assay`` command, and a ``toml`` block is saved under the name that the text
before it gives. What a block prints stands in the ``output`` block after it, and a picture that it
draws is shown by its file name. Run this file to see what has changed, with ``--write`` to bring
the pages up to date.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import math
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from PIL import Image

from accuracy_assay.cli import main as assay

ROOT = Path(__file__).parents[2]
PAGES = [
    "README.md",
    "AGENTS.md",
    "docs/index.md",
    "docs/tutorial.md",
    "docs/anova-gp.md",
    "docs/architecture.md",
    "docs/calibration.md",
    "docs/estimators.md",
    *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs" / "how-to").glob("*.md"))),
]

_FENCE = re.compile(r"^```([a-z]+)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
_PICTURE = re.compile(r"!\[[^\]]*\]\(([^)]+\.png)\)")
_NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")
# Machines round in their own ways, and a search for hyper-parameters passes the difference on: to
# the third digit of an accuracy when the code runs without vector instructions.
_RELATIVE, _ABSOLUTE = 0.02, 0.011
_WIDEST, _WIDTH_OF_CUT = 106, 92
"""Characters that a page shows without scrolling, and of a wider line: the seconds that stand last
in the tables of benchmarks are then left out, since no two runs take the same."""

_LARGEST_SHIFT = 3.0
"""Of a picture's grey levels, on average: of 255, as text of other figures moves them."""


@dataclass(frozen=True)
class Block:
    """A fenced block, where it ends on its page, and the output that follows it."""

    language: str
    text: str
    before: str
    end: int
    output: str
    output_end: int


def read_blocks(page: str) -> list[Block]:
    """Return the blocks of a page in order, outputs with the blocks that print them."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = list(_FENCE.finditer(text))
    blocks = []
    for fence, after in zip(found, [*found[1:], None], strict=True):
        if fence[1] == "output":
            continue
        is_followed = (
            after is not None
            and after[1] == "output"
            and not text[fence.end() : after.start()].strip()
        )
        output = after[2] if is_followed and after is not None else ""
        end = after.end() if is_followed and after is not None else fence.end()
        blocks.append(Block(fence[1], fence[2], text[: fence.start()], fence.end(), output, end))
    return blocks


def run_page(page: str, folder: Path) -> list[str]:
    """Run the blocks of a page in ``folder`` and return what each of them prints."""
    names: dict[str, object] = {"__name__": "example"}
    printed = []
    with _inside(folder):
        for block in read_blocks(page):
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                if block.language == "python":
                    _save_python(block.text)
                    exec(compile(block.text, page, "exec", dont_inherit=True), names)
                elif block.language == "toml":
                    name = re.findall(r"`([a-z_]+\.toml)`", block.before)[-1]
                    Path(name).write_text(block.text, encoding="utf-8")
                elif block.language == "bash":
                    for line in block.text.splitlines():
                        _run_assay(page, line)
            printed.append("".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines()))
    return printed


def is_same(printed: str, shown: str) -> bool:
    """Return whether a page shows what was printed: words exactly, numbers but for rounding.

    A line ``...`` stands for any lines, and three dots at the end of a line for its rest.
    """
    return _match(printed.splitlines(), shown.splitlines())


def _match(printed: list[str], shown: list[str]) -> bool:
    if not shown:
        return not printed
    if shown[0] == "...":
        return any(_match(printed[i:], shown[1:]) for i in range(len(printed) + 1))
    return bool(printed) and _match_line(printed[0], shown[0]) and _match(printed[1:], shown[1:])


def _match_line(printed: str, shown: str) -> bool:
    is_cut = shown.endswith("...")
    shown = shown.removesuffix("...")
    words, shown_words = _words(printed), _words(shown)
    numbers = [[float(n.replace(",", "")) for n in _NUMBER.findall(t)] for t in (printed, shown)]
    return (words.startswith(shown_words) if is_cut else words == shown_words) and all(
        math.isclose(a, b, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE)
        for a, b in zip(*numbers, strict=not is_cut)
    )


def _words(line: str) -> str:
    """Return a line without its numbers, and without what depends on the width of columns."""
    return re.sub(r"[\s─━═┄·-]+", " ", _NUMBER.sub("#", line)).strip()


def pictures(page: str) -> list[Path]:
    """Return the pictures that a page shows, but for those of `screenshots.py`."""
    text = (ROOT / page).read_text(encoding="utf-8")
    shown = [((ROOT / page).parent / name).resolve() for name in _PICTURE.findall(text)]
    return [path for path in shown if path.parent.name != "page"]


def is_same_picture(drawn: Path, shown: Path) -> bool:
    """Return whether two pictures have the same size and look alike."""
    if not shown.exists():
        return False
    levels = [np.asarray(Image.open(p).convert("L"), dtype=np.float64) for p in (drawn, shown)]
    if levels[0].shape != levels[1].shape:
        return False
    return float(np.abs(levels[0] - levels[1]).mean()) <= _LARGEST_SHIFT


def find_changes(
    page: str, printed: Sequence[str], folder: Path, *, is_writing: bool = False
) -> list[str]:
    """Return what a page no longer shows rightly; with ``is_writing``, bring it up to date."""
    path = ROOT / page
    text, made, start, changed = path.read_text(encoding="utf-8"), "", 0, []
    for block, output in zip(read_blocks(page), printed, strict=True):
        if is_same(output, block.output):
            continue
        lines = [_shortened(line) for line in output.splitlines()]
        if block.output.endswith("\n...\n"):  # as long as it was, and the rest left out again
            lines = [*lines[: len(block.output.splitlines()) - 1], "..."]
        fenced = "\n".join(["", "```output", *lines, "```", ""]) if lines else ""
        made += text[start : block.end] + fenced
        start = block.output_end
        changed.append(block.text.splitlines()[-1])
    if changed and is_writing:
        path.write_text(made + text[start:], encoding="utf-8")
    for shown in pictures(page):
        drawn = folder / shown.name
        if drawn.exists() and not is_same_picture(drawn, shown):
            changed.append(shown.name)
            if is_writing:
                shown.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(drawn, shown)
    return changed


def _shortened(line: str) -> str:
    return line if len(line) <= _WIDEST else f"{line[:_WIDTH_OF_CUT].rsplit(' ', 1)[0]} ..."


def _save_python(block: str) -> None:
    """Write a block to the file that its first line names, if it names one."""
    named = re.match(r"# ([a-z_]+\.py)\n", block)
    if named is not None:
        Path(named[1]).write_text(block, encoding="utf-8")


def _run_assay(page: str, line: str) -> None:
    """Run one command in this process; its remarks are shown where it fails."""
    if not line.startswith("assay "):
        raise AssertionError(f"{page}: a bash block must hold assay commands; got {line!r}.")
    before, sys.argv = sys.argv, shlex.split(line, comments=True)
    remarks, code = io.StringIO(), 0
    try:
        with contextlib.redirect_stderr(remarks):
            assay()
    except SystemExit as leaving:
        code = int(leaving.code or 0)
    finally:
        sys.argv = before
    if code:
        raise AssertionError(f"{page}: {line}\n{remarks.getvalue()}")


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """Work in a folder, whose modules can be imported, with tables that print few digits."""
    os.environ.setdefault("TERM", "dumb")
    modules = set(sys.modules)
    shown = pl.Config(
        tbl_hide_dataframe_shape=True,
        tbl_hide_column_data_types=True,
        tbl_cols=20,
        tbl_width_chars=110,
        float_precision=2,
        fmt_str_lengths=60,
    )
    sys.path.insert(0, str(folder))
    try:
        with contextlib.chdir(folder), shown:
            yield
    finally:
        sys.path.remove(str(folder))
        for name in set(sys.modules) - modules:
            origin = getattr(sys.modules[name], "__file__", None)
            if origin is not None and Path(origin).is_relative_to(folder):
                del sys.modules[name]


def main() -> int:
    """Say what has changed on each page; with ``--write``, bring it up to date."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("pages", nargs="*", default=PAGES, help="such as docs/tutorial.md")
    parser.add_argument("--write", action="store_true", help="write the outputs and pictures")
    given = parser.parse_args()
    n_changed = 0
    for page in given.pages:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name).resolve()
            os.environ["ASSAY_STATE"] = str(folder / ".state")
            printed = run_page(page, folder)
            changed = find_changes(page, printed, folder, is_writing=given.write)
        n_changed += len(changed)
        lines = (f"  {line}\n" for line in changed)
        sys.stderr.write(f"{page}: {len(changed)} changed\n" + "".join(lines))
    return 0 if given.write or not n_changed else 1


if __name__ == "__main__":
    sys.exit(main())
