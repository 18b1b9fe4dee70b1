"""Markdown of a spec: what people write for annotators, and nothing that runs."""

import pytest

from accuracy_assay.web.label.markdown import markdown_html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("", ""),
        ("one\ntwo\n\nthree", "<p>one two</p><p>three</p>"),
        ("# Title\ntext", "<h3>Title</h3><p>text</p>"),
        ("Choose:\n- *one*\n- two\n  goes on", None),
        ("1. a\n2. b", "<ol><li>a</li><li>b</li></ol>"),
        ("a_b_c and 2 * 3 * 4", "<p>a_b_c and 2 * 3 * 4</p>"),
        ("`**x** <b>`", "<p><code>**x** &lt;b&gt;</code></p>"),
    ],
)
def test_what_people_write_becomes_elements(text: str, html: str | None) -> None:
    wanted = "<p>Choose:</p><ul><li><em>one</em></li><li>two goes on</li></ul>"
    assert markdown_html(text) == (wanted if html is None else html)


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        '[x](https://a.example/" onclick="alert(1))',
        "**<b onclick=x>**",
    ],
)
def test_no_element_and_no_handler_comes_out_of_a_text(text: str) -> None:
    html = markdown_html(text)
    for bad in ("<script", "<img", 'href="java', "<b ", '" onclick'):
        assert bad not in html


def test_a_link_opens_a_page_of_its_own() -> None:
    assert markdown_html("[rules](https://a.example/r)") == (
        '<p><a href="https://a.example/r" rel="noreferrer" target="_blank">rules</a></p>'
    )
