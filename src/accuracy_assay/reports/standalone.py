"""What every page that stands alone has: its templates, and what a browser may do with it."""

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined

from accuracy_assay.runtime.number_text import count_text

__all__ = ["content_policy", "page_templates", "template_text"]

_PACKAGE = "accuracy_assay.reports"


def page_templates() -> Environment:
    """Return the templates of pages; they escape what users named."""
    environment = Environment(
        loader=PackageLoader(_PACKAGE, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["percent"] = _percent
    environment.filters["count"] = count_text
    environment.filters["base64"] = lambda content: b64encode(content).decode()
    return environment


def template_text(name: str) -> str:
    """Return a style or a script as it is."""
    return (files(_PACKAGE) / "templates" / name).read_text(encoding="utf-8")


def content_policy(style: str, script: str) -> str:
    """Return what a browser may do with the page: run its own code and load nothing.

    Code and styles are allowed by their hash. ``style`` attributes hold our own numbers only and
    must all be allowed; a browser that cannot tell them from elements reads ``style-src``.
    """

    def own(text: str) -> str:
        return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"

    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {own(script)}",
            "style-src 'unsafe-inline'",
            f"style-src-elem {own(style)}",
            "style-src-attr 'unsafe-inline'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _percent(share: float, places: int = 0) -> str:
    return f"{100.0 * share:.{places}f}"
