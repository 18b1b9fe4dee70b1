"""Pages that stand alone: texts are escaped, and a browser runs their own code only."""

from base64 import b64encode
from hashlib import sha256

import pytest
from jinja2 import UndefinedError

from accuracy_assay.reports.standalone import content_policy, page_templates, template_text


def test_names_are_escaped_and_numbers_shown_as_people_write_them() -> None:
    page = page_templates().from_string("{{ name }} {{ share | percent(1) }} {{ rows | count }}")
    shown = page.render(name="<b>", share=0.4567, rows=12345.0)
    assert shown == "&lt;b&gt; 45.7 12,345"


def test_a_value_that_is_not_there_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        page_templates().from_string("{{ nothing }}").render()


def test_code_and_styles_are_allowed_by_their_hash_and_nothing_is_loaded() -> None:
    policy = content_policy("p {}", "go()")
    for text in ("p {}", "go()"):
        assert f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "http" not in policy


def test_templates_are_read_as_they_are() -> None:
    assert "http" not in template_text("board.js")
    assert template_text("board.css").strip()
