"""A small part of Markdown as HTML, for what a spec says to annotators.

Headings, paragraphs, lists, quotes, **bold**, *italic*, `code` and links to web pages. Everything
else is text: what a spec holds never becomes an element of its own.
"""

from __future__ import annotations

import re
from html import escape

__all__ = ["markdown_html"]

_ITEM = re.compile(r"(?:[-*+]|(\d+)[.)])\s+(.*)")
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_SPANS = (
    (re.compile(r"\*\*(.+?)\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"(?<![\w*])[*_](?!\s)(.+?)(?<!\s)[*_](?![\w*])"), r"<em>\1</em>"),
)
_CODE = re.compile(r"(`[^`]+`)")
_LINK = re.compile(r"\[([^\]]+)\]\((https?://[^\s)&\"']+)\)")


def markdown_html(text: str) -> str:
    r"""Return a text in Markdown as HTML.

    Examples
    --------
    >>> markdown_html("Is it **spam**?")
    '<p>Is it <strong>spam</strong>?</p>'
    >>> markdown_html("- a\n- <b>")
    '<ul><li>a</li><li>&lt;b&gt;</li></ul>'
    """
    blocks = re.split(r"\n\s*\n", text.replace("\r\n", "\n").strip())
    return "".join(_block(block.split("\n")) for block in blocks if block.strip())


def _block(lines: list[str]) -> str:
    """Return a paragraph, or what its lines make: headings, then lists and text in turn."""
    found, said = [], list[str]()
    items, kind = list[str](), ""

    def close() -> None:
        nonlocal kind
        if said:
            found.append(f"<p>{_inline(' '.join(said))}</p>")
            said.clear()
        if items:
            made = "".join(f"<li>{_inline(item)}</li>" for item in items)
            found.append(f"<{kind}>{made}</{kind}>")
            items.clear()
        kind = ""

    for line in map(str.strip, lines):
        heading, item = _HEADING.fullmatch(line), _ITEM.fullmatch(line)
        if heading is not None:
            close()
            found.append(f"<h3>{_inline(heading[2])}</h3>")
        elif item is not None:
            wanted = "ol" if item[1] else "ul"
            if kind != wanted:
                close()
            kind = wanted
            items.append(item[2])
        elif items:
            items[-1] += f" {line}"
        else:
            said.append(line.removeprefix("> "))
    close()
    return "".join(found)


def _inline(text: str) -> str:
    """Return the text of one line, with what is in backticks as it is."""
    parts = _CODE.split(text)
    return "".join(
        f"<code>{escape(part[1:-1])}</code>" if k % 2 else _styled(part)
        for k, part in enumerate(parts)
    )


def _styled(text: str) -> str:
    html = escape(text)
    for pattern, replacement in _SPANS:
        html = pattern.sub(replacement, html)
    return _LINK.sub(r'<a href="\2" rel="noreferrer" target="_blank">\1</a>', html)
