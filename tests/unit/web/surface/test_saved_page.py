"""A saved view stands alone: its sentence, its picture and its numbers, and no script."""

import re
from html import unescape

from surface_world import make_about, make_surface

from accuracy_assay.web.surface.queries import WorstQuery
from accuracy_assay.web.surface.saved_page import html_of
from accuracy_assay.web.surface.views import worst_view


def test_the_page_has_the_verdict_the_picture_and_every_row_and_loads_nothing() -> None:
    surface = make_surface()
    about = make_about(surface).model_copy(update={"verdict": "Right for <i>most</i>."})
    view = worst_view(about, surface, WorstQuery(count=5))
    page = html_of(view, "Worst arms").decode()
    assert "Right for &lt;i&gt;most&lt;/i&gt;." in page
    assert page.count("<tr>") == 6
    assert f"{view.arms[0].mean:.4g}" in page
    assert "<script" not in page
    sources = re.findall(r'(?:src|href)="([^"]{0,30})', page)
    assert [source.startswith("data:image/png") for source in sources] == [True]
    assert "default-src 'none'" in unescape(page)
