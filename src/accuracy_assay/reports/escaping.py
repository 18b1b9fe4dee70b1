"""Names and values from outside, escaped for what a report is written in."""

from __future__ import annotations

import re
from html import escape

from accuracy_assay.runtime.visible_text import visible_text

__all__ = ["html_text", "markdown_text", "xml_text", "yaml_text"]

_MARKUP = re.compile(r"([\\`*_{}\[\]()#+!|~$@])")
"""What Markdown may read as more than text: tables, emphasis, links, pictures, people."""
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML may hold, not even escaped."""


def html_text(text: str) -> str:
    """Return a text that HTML shows as it is."""
    return escape(visible_text(text))


def markdown_text(text: object) -> str:
    r"""Return a text that Markdown shows as it is, on one line, in a table or out of one.

    Examples
    --------
    >>> print(markdown_text("a|b <i> [x](y)\nz"))
    a\|b &lt;i&gt; \[x\]\(y\)\\nz
    """
    shown = _MARKUP.sub(r"\\\1", visible_text(str(text), keep=""))
    shown = shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return shown.replace("://", r":\//")  # or it would become a link


def xml_text(text: str) -> str:
    """Return a text without the characters that XML refuses."""
    return _NO_XML.sub("\ufffd", visible_text(text, keep="\n"))


def yaml_text(text: object) -> str:
    r"""Return a text as a YAML string in double quotes.

    Examples
    --------
    >>> print(yaml_text('yes: "no"\n- x'))
    "yes: \"no\"\n- x"
    """
    whole = str(text).encode("utf-8", "replace").decode("utf-8")
    return '"' + "".join(map(_yaml_character, whole)) + '"'


def _yaml_character(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if character == "\n":
        return "\\n"
    return character if character.isprintable() else f"\\U{ord(character):08X}"
