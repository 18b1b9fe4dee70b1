"""The drawn pictures of the documentation, made anew: ``python tests/docs/drawings.py``."""

from __future__ import annotations

from pathlib import Path

TARGET = Path(__file__).parents[2] / "docs" / "assets" / "data-flow.svg"
WIDTH, HEIGHT, TALL = 860, 560, 66
BOXES = {
    "pool": (20, 30, 250, "Pool", "rows: attributes, predictions"),
    "seed": (590, 30, 250, "Seed set", "rows that people looked up"),
    "calibration": (305, 30, 250, "Calibration", "guessed attributes: P(arm | row)"),
    "cells": (305, 140, 250, "Cells", "arms × what services say for free"),
    "labels": (20, 250, 200, "Labels", "answers of people"),
    "observations": (305, 250, 250, "Observations", "labelled rows and their scores"),
    "answers": (590, 250, 250, "Answers", "report, query, compare, gate"),
    "estimator": (305, 360, 250, "Estimator", "anova-gp"),
    "surface": (590, 360, 250, "Accuracy surface", "an interval for every arm"),
    "people": (20, 470, 200, "People", "page, terminal, Label Studio"),
    "strategy": (305, 470, 250, "Strategy", "which rows to label next"),
}
"""Left, top, width, title and what it is, of every box."""
ARROWS = (
    ("pool", "calibration", "right"),
    ("seed", "calibration", "left"),
    ("calibration", "cells", "down"),
    ("pool", "cells", "down then right"),
    ("cells", "observations", "down"),
    ("labels", "observations", "right"),
    ("observations", "estimator", "down"),
    ("estimator", "surface", "right"),
    ("surface", "answers", "up"),
    ("surface", "strategy", "down then left"),
    ("strategy", "people", "left"),
    ("people", "labels", "up"),
)
STYLE = (
    ".box{fill:#fff;stroke:#c9c6bd;stroke-width:1.2}.key{fill:#0a69ad;stroke:#0a69ad}"
    ".name{font-weight:650;font-size:16px;fill:#1d2329}.what{font-size:12.5px;fill:#5c6670}"
    ".white{fill:#fff}.arrow{fill:none;stroke:#656e77;stroke-width:1.8}"
)
SAID = (
    "The pool and the seed set become cells; labels become observations; an estimator turns them "
    "into an accuracy surface; a strategy chooses the next rows for people to label."
)


def path_of(start: str, end: str, way: str) -> str:
    """Return the line of an arrow; its head stops short of the box."""
    x, y, width, *_ = BOXES[start]
    to_x, to_y, to_width, *_ = BOXES[end]
    middle, to_middle = x + width / 2, to_y + TALL / 2
    return {
        "right": f"M{x + width} {y + TALL / 2}H{to_x - 3}",
        "left": f"M{x} {y + TALL / 2}H{to_x + to_width + 3}",
        "down": f"M{middle} {y + TALL}V{to_y - 3}",
        "up": f"M{middle} {y}V{to_y + TALL + 3}",
        "down then right": f"M{middle} {y + TALL}V{to_middle}H{to_x - 3}",
        "down then left": f"M{middle} {y + TALL}V{to_middle}H{to_x + to_width + 3}",
    }[way]


def box(name: str) -> str:
    """Return a box with its two lines of text; the surface stands out."""
    x, y, width, title, what = BOXES[name]
    key, white = (" key", " white") if name == "surface" else ("", "")
    middle = x + width / 2
    return (
        f'<rect class="box{key}" x="{x}" y="{y}" width="{width}" height="{TALL}" rx="10"/>'
        f'<text class="name{white}" x="{middle}" y="{y + 29}" text-anchor="middle">{title}</text>'
        f'<text class="what{white}" x="{middle}" y="{y + 49}" text-anchor="middle">{what}</text>'
    )


def data_flow() -> str:
    """Return the picture of the data flow."""
    arrows = (
        f'<path class="arrow" d="{path_of(*arrow)}" marker-end="url(#head)"/>' for arrow in ARROWS
    )
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
            'aria-labelledby="t d" font-family="Inter, Helvetica, Arial, sans-serif">',
            f'<title id="t">How data flows through an assay</title><desc id="d">{SAID}</desc>',
            f"<style>{STYLE}</style>",
            '<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" '
            'markerHeight="7" orient="auto"><path d="M0 0L10 5L0 10z" fill="#656e77"/></marker>'
            "</defs>",
            f'<rect width="{WIDTH}" height="{HEIGHT}" rx="14" fill="#f7f6f3"/>',
            *arrows,
            *map(box, BOXES),
            "</svg>\n",
        )
    )


if __name__ == "__main__":
    TARGET.write_text(data_flow(), encoding="utf-8")
