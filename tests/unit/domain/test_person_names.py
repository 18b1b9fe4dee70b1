"""One person has one name."""

from accuracy_assay.domain.person_names import one_name


def test_unicode_forms_and_spaces_make_no_second_person() -> None:
    assert {one_name(n) for n in ("Jose\u0301", "Jos\u00e9", " Jos\u00e9 ")} == {"Jos\u00e9"}
    assert one_name("ann  lee") == one_name("ann lee\t")


def test_names_that_differ_stay_apart() -> None:
    assert one_name("ann") != one_name("Ann")
