import accuracy_assay
from accuracy_assay.bench.version import code_version


def test_version_names_the_package_and_its_code() -> None:
    version, _, digest = code_version().partition("+")
    assert version == accuracy_assay.__version__
    assert len(digest) == 12
