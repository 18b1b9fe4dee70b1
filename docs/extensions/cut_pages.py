"""How the site differs from the files: long pages are cut, and search prefers how-tos.

On GitHub a reference is one file, which is easy to keep and to test. On the site each of its
sections is a page of its own, so that nobody scrolls through 33,000 pixels. mkdocs calls the
functions whose names begin with ``on_``.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any

from mkdocs.structure.files import File, Files

CUT = ("api.md", "cli.md", "results.md")
"""Pages that are cut at their headings of the second level."""
BOOSTS = {"how-to/": 2.0, "tutorial.md": 2.0, "index.md": 2.0, "decisions/": 0.4, "results": 0.5}
"""What search multiplies the score of a page by, for pages whose address begins so."""

_LINK = re.compile(r"(\]\()(?!https?:|#|mailto:)([^)\s]+)(\))")


def cut(text: str) -> tuple[str, list[tuple[str, str]]]:
    """Return what stands before the first heading of the second level, and each section."""
    head, sections, is_code = list[str](), list[tuple[str, list[str]]](), False
    for line in text.splitlines(keepends=True):
        is_code ^= line.startswith("```")
        if line.startswith("## ") and not is_code:
            sections.append((line[3:].strip(), []))
        elif sections:
            sections[-1][1].append(line)
        else:
            head.append(line)
    return "".join(head), [(title, "".join(body)) for title, body in sections]


def pieces(body: str) -> tuple[str, list[tuple[str, str]]]:
    """Return what a section says first, and each function or class that it documents.

    A section with one or none stays whole.
    """
    first, *rest = re.split(r"^(?=::: )", body, flags=re.MULTILINE)
    if len(rest) < 2:
        return body, []
    return first, [(part.splitlines()[0].rpartition(".")[2], part) for part in rest]


def pages_of(text: str) -> tuple[str, list[tuple[str, str, list[tuple[str, str]]]]]:
    """Return the beginning of a long page, and its sections with their pieces."""
    head, sections = cut(text)
    return head, [(title, *pieces(body)) for title, body in sections]


def slug(title: str) -> str:
    """Return a heading as its anchor, as Python-Markdown makes it."""
    kept = re.sub(r"[^\w\s-]", "", title).strip().lower()
    return re.sub(r"[-\s]+", "-", kept)


def part_path(page: str, title: str) -> str:
    """Return where a section of a page that is cut has its own page.

    A class is told apart from a function of the same name, on file systems without case too.
    """
    is_class = page == "api.md" and title.isidentifier() and title[0].isupper()
    return f"{page.removesuffix('.md')}/{slug(title)}{'-class' if is_class else ''}.md"


def anchors_of(title: str, body: str) -> set[str]:
    """Return what may be linked to in a section: its headings, and what it documents."""
    lines = body.splitlines()
    inside = {slug(line.lstrip("#")) for line in lines if re.match(r"#{3,6} ", line)}
    return {slug(title), *inside, *(line[4:].strip() for line in lines if line.startswith("::: "))}


def on_config(config: Any) -> Any:
    """Put the parts of long pages under them in the menu."""
    root = config["docs_dir"]

    def grown(entry: Any) -> Any:
        if isinstance(entry, list):
            return [grown(each) for each in entry]
        if not isinstance(entry, dict):
            return entry
        ((title, value),) = entry.items()
        if value not in CUT:
            return {title: grown(value)}
        with open(posixpath.join(root, value), encoding="utf-8") as file:
            _, sections = pages_of(file.read())
        return {title: [value, *(_menu(value, *section) for section in sections)]}

    config["nav"] = grown(config["nav"])
    return config


def on_files(files: Files, config: Any) -> Files:
    """Replace each long page by its beginning, and add its sections as pages."""
    parts: dict[str, dict[str, str]] = {}
    for name in CUT:
        page = files.get_file_from_path(name)
        head, sections = pages_of(page.content_string)
        parts[name], listed = {}, list[str]()
        for title, body, found in sections:
            inside = [f"- [{piece}]({part_path(name, piece)})" for piece, _ in found]
            listed += [
                f"- [{title}]({part_path(name, title)})",
                *(f"    {line}" for line in inside),
            ]
            whole = "\n".join([f"# {title}\n{body}", *inside])
            for part, text in ((title, whole), *((p, f"# {p}\n\n{t}") for p, t in found)):
                path = part_path(name, part)
                parts[name] |= dict.fromkeys(anchors_of(part, text), path)
                files.append(File.generated(config, path, content=_moved(text, name, path)))
        files.remove(page)
        text = "\n".join([head, *listed, ""])
        files.append(File.generated(config, name, content=text))
    config["extra"]["parts"] = parts
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Lead links to sections of long pages to their own pages, and rank the page in search."""
    path = page.file.src_uri
    for start, boost in BOOSTS.items():
        if path.startswith(start):
            page.meta.setdefault("search", {})["boost"] = boost
    parts, here = config["extra"]["parts"], posixpath.dirname(path)

    def lead(found: re.Match[str]) -> str:
        target, _, anchor = found[2].partition("#")
        name = posixpath.normpath(posixpath.join(here, target)) if target else path
        to = parts.get(name, {}).get(anchor)
        if to is None:
            return found[0]
        is_title = to == part_path(name, anchor)
        end = "" if is_title else f"#{anchor}"
        return f"{found[1]}{posixpath.relpath(to, here or '.')}{end}{found[3]}"

    return _LINK.sub(lead, markdown)


def _menu(page: str, title: str, _: str, found: list[tuple[str, str]]) -> dict[str, Any]:
    """Return a section of a long page as an entry of the menu."""
    own = part_path(page, title)
    return {title: [own, *({n: part_path(page, n)} for n, _ in found)] if found else own}


def _moved(text: str, page: str, path: str) -> str:
    """Return a section with its relative links as they are seen from its own page."""

    def move(found: re.Match[str]) -> str:
        return f"{found[1]}{posixpath.relpath(found[2], posixpath.dirname(path))}{found[3]}"

    own = re.compile(r"(\]\()(#[^)\s]+)(\))")
    return _LINK.sub(move, own.sub(rf"\1{page}\2\3", text))
