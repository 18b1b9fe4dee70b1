from datetime import UTC, datetime

import accuracy_assay
from assay_bench.provenance import code_version, describe_machine


def test_version_names_the_package_and_its_code() -> None:
    version, _, digest = code_version().partition("+")
    assert version == accuracy_assay.__version__
    assert len(digest) == 12


def test_the_machine_is_described() -> None:
    facts = describe_machine(datetime(2024, 2, 3, 4, 5, tzinfo=UTC))
    assert facts["date"] == "2024-02-03 04:05 UTC"
    assert facts["code"] == code_version()
    assert "jax" in facts["packages"]
    assert "cores" in facts["processor"]
