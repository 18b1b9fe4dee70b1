"""Pictures of the documentation are what their command draws."""

import runpy
from pathlib import Path
from xml.etree import ElementTree

DRAWINGS = Path(__file__).with_name("drawings.py")


def test_the_picture_of_the_data_flow_is_what_the_command_draws() -> None:
    found = runpy.run_path(str(DRAWINGS))
    drawn = found["data_flow"]()
    assert found["TARGET"].read_text(encoding="utf-8") == drawn
    texts = {node.text for node in ElementTree.fromstring(drawn).iter() if node.text}
    assert {title for *_, title, _ in found["BOXES"].values()} <= texts
