"""``full-2021`` keeps a network that started from nothing, whatever it gives."""

from accuracy_assay.calibration.full import Full
from accuracy_assay.calibration.full_2021 import Full2021
from accuracy_assay.spec.model import AssaySection


def test_it_is_full_with_the_settings_of_the_text() -> None:
    ours, theirs = Full(), Full2021()
    assert (ours.start, ours.network) == ("prior", "clear")
    assert (theirs.start, theirs.network) == ("zero", "always")


def test_a_network_of_a_few_steps_stays_where_full_leaves_it_out(world, rng) -> None:
    seed, gold = world.draw(60, rng)
    pool, _ = world.draw(200, rng)
    for network, width in (("always", 4), ("clear", 0)):
        calibrator = Full2021(widths=(4,), max_steps=2, network=network)
        fitted = calibrator.fit(seed, gold, pool, rng)
        assert fitted.report.details["width"] == width
        assert (fitted.hidden_layers is not None) == (width > 0)


def test_a_spec_may_ask_for_it_by_name_or_by_its_settings() -> None:
    assert AssaySection(calibration="full-2021").calibration == "full-2021"
    table = {"name": "full", "start": "zero", "network": "always"}
    assert AssaySection(calibration=table).calibration == table
