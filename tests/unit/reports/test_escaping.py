"""Whatever a name holds, it stays a text in every format."""

from xml.etree import ElementTree

import yaml
from hypothesis import given
from hypothesis import strategies as st

from accuracy_assay.reports.escaping import html_text, markdown_text, xml_text, yaml_text


@given(st.text())
def test_any_text_survives_yaml_and_markdown(text: str) -> None:
    whole = text.encode("utf-8", "replace").decode("utf-8")
    assert yaml.safe_load(f"k: {yaml_text(text)}") == {"k": whole}
    line = markdown_text(text)
    assert "\n" not in line
    assert "|" not in line.replace("\\|", "")
    assert "<" not in line


@given(st.text())
def test_any_text_survives_xml_and_html(text: str) -> None:
    element = ElementTree.Element("a", {"b": xml_text(text)})
    assert ElementTree.fromstring(ElementTree.tostring(element)).tag == "a"
    assert not {"<", ">", '"'} & set(html_text(text))
