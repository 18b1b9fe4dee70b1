"""Glyphs of every script in a figure: fonts that have them, or a note of what was not drawn.

matplotlib draws a character that its font lacks as an empty box. Here the installed fonts are
searched for the characters of a figure; those that no font has are written as code points, and the
figure says so.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from textwrap import wrap
from typing import TYPE_CHECKING

from accuracy_assay.runtime.visible_text import visible_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["choose_families", "draw_every_script", "written_out"]

_PREFERRED = ("DejaVu Sans", "Noto Sans", "Noto Sans CJK SC", "Noto Sans CJK JP")
"""Fonts to prefer, in this order; then other Noto Sans fonts, then all others, by name. The first
comes with matplotlib; it has Latin, Greek, Cyrillic and Arabic."""
_UNSEEN = frozenset("\n\t\u200c\u200d")
"""Characters without a glyph of their own."""
_MOST_SCRIPTS = 4
"""Scripts that a note names."""
_SHOWN_POINTS = 2
"""Code points that stand for a run of characters: enough to tell most values apart."""
_NOTE_POINTS, _NOTE_CHARACTERS = 7.0, 10
"""Size of the note, and its characters per inch of a figure: the right side is for a legend."""


def draw_every_script(figure: Figure) -> tuple[str, ...]:
    """Give each text of a figure fonts that have its characters; return those that none has.

    What is not drawn stands as code points such as ``[U+0939 U+093F…]``, and a line under the
    figure says which scripts these are.
    """
    from matplotlib.text import Text
    from matplotlib.ticker import FixedLocator

    named = [
        axis
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        if isinstance(axis.get_major_locator(), FixedLocator)
    ]
    # Ticks have no text before they are first laid out.
    labels = {axis: [text.get_text() for text in axis.get_majorticklabels()] for axis in named}
    texts = [text for text in figure.findobj(Text) if isinstance(text, Text)]
    families, missing = choose_families([text.get_text() for text in texts], _installed())
    for text in texts:
        text.set_fontfamily(families)
        text.set_text(written_out(text.get_text(), missing))
    for axis, names in labels.items():
        axis.set_ticks(axis.get_majorticklocs(), [written_out(name, missing) for name in names])
    if missing:
        width = int(_NOTE_CHARACTERS * figure.get_figwidth())
        note = "\n".join(wrap(_note(missing), width))
        figure.supxlabel(note, fontsize=_NOTE_POINTS, x=0.012, ha="left")
    return missing


def choose_families(
    texts: Iterable[str], fonts: Iterable[tuple[str, Iterable[int]]]
) -> tuple[list[str], tuple[str, ...]]:
    """Return the fonts that together have most characters of some texts, and those that none has.

    Parameters
    ----------
    texts
        What is to be drawn.
    fonts
        Families with their code points, read only as far as needed. The first is used for all it
        has.

    Examples
    --------
    >>> fonts = {"Latin": [97, 98], "Greek": [945]}
    >>> choose_families(["abα", "中"], fonts.items())
    (['Latin', 'Greek'], ('中',))
    """
    wanted = {c for text in texts for c in visible_text(text)} - _UNSEEN
    families: list[str] = []
    for name, points in fonts:
        known = frozenset(points)
        found = {c for c in wanted if ord(c) in known}
        if found or not families:
            families.append(name)
        wanted -= found
        if not wanted:
            break
    return families, tuple(sorted(wanted))


def written_out(text: str, missing: Sequence[str]) -> str:
    """Return a text with every run of characters that cannot be drawn as code points.

    Examples
    --------
    >>> written_out("a 中文字 b", "中文字")
    'a [U+4E2D U+6587…] b'
    """
    shown = visible_text(text)
    if not missing:
        return shown
    run = re.compile(f"[{''.join(map(re.escape, missing))}]+")
    return run.sub(lambda found: _code_points(found[0]), shown)


def _code_points(run: str) -> str:
    points = " ".join(f"U+{ord(c):04X}" for c in run[:_SHOWN_POINTS])
    return f"[{points}{'…' if len(run) > _SHOWN_POINTS else ''}]"


def _note(missing: Sequence[str]) -> str:
    scripts = list(dict.fromkeys(_script(c) for c in missing))
    named = ", ".join(scripts[:_MOST_SCRIPTS]) + (", ..." if scripts[_MOST_SCRIPTS:] else "")
    return (
        f"Not drawn, as no installed font has them: {len(missing)} characters ({named}), shown as "
        "their code points. Install a font such as Noto Sans of that script."
    )


def _script(character: str) -> str:
    """Return the first word of a character's name, which is its script for letters."""
    name = unicodedata.name(character, "").partition(" ")[0]
    return {"CJK": "Chinese or Japanese"}.get(name, name.capitalize()) or "unnamed"


def _installed() -> Iterator[tuple[str, Iterable[int]]]:
    """Yield the upright fonts of this machine with their characters, the usual one first."""
    from matplotlib.font_manager import fontManager

    fonts = {
        font.name: (font.fname, font.index)
        for font in reversed(fontManager.ttflist)
        if font.style == "normal" and font.variant == "normal" and "Last Resort" not in font.name
    }

    def rank(name: str) -> tuple[int, bool, str]:
        is_known = name in _PREFERRED
        order = _PREFERRED.index(name) if is_known else len(_PREFERRED)
        return order, not name.startswith("Noto Sans"), name

    for name in sorted(fonts, key=rank):
        yield name, _characters(*fonts[name])


@cache
def _characters(path: str, index: int) -> frozenset[int]:
    """Return the code points that a font file has; none where it cannot be read."""
    from matplotlib.ft2font import FT2Font

    try:
        return frozenset(FT2Font(path, face_index=index).get_charmap())
    except (OSError, RuntimeError):
        return frozenset()
