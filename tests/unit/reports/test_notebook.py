"""A notebook shows the whole and the worst arms, and obeys nothing in their names."""

from toy_surface import SPACE, toy

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.reports.notebook import notebook_html


def test_a_notebook_shows_the_whole_and_the_worst_arms_with_nothing_to_obey() -> None:
    space = AttributeSpace((Attribute("<b>", ("<script>", "\x1b[2J")), SPACE.attributes[1]))
    shown = notebook_html(toy(space=space))
    assert str(toy().overall) in shown
    assert shown.index("&lt;script&gt;</td><td>old</td><td>25.0%") > 0
    assert "<script>" not in shown
    assert "<b>" not in shown.partition("<table>")[2]
    assert r"\x1b[2J" in shown
