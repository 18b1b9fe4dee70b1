"""One spelling of array types."""

import re
from pathlib import Path

import accuracy_assay
from accuracy_assay.runtime import arrays


def test_no_other_module_spells_them_out() -> None:
    spelled = re.compile(r"NDArray\[np\.(float64|int64|bool_)\]")
    root = Path(accuracy_assay.__file__).parent
    found = [path for path in root.rglob("*.py") if spelled.search(path.read_text("utf-8"))]
    assert found == [Path(arrays.__file__)]
