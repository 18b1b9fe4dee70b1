"""A method looks the same in every figure."""

from assay_bench.experiments import EXPERIMENTS, Selection
from assay_bench.line_styles import is_ours, is_peer, line_style


def test_the_line_of_a_method_does_not_depend_on_its_place_but_for_the_marker() -> None:
    first, later = line_style("beta-gp-slp", 0), line_style("beta-gp-slp", 7)
    assert {k: v for k, v in first.items() if k != "marker"} == {
        k: v for k, v in later.items() if k != "marker"
    }


def test_no_two_lines_of_an_experiment_look_alike() -> None:
    for name in ("estimation", "exploration", "calibration", "parameterisation"):
        methods = dict.fromkeys(r.method.name for r in EXPERIMENTS[name].runs(Selection()))
        styles = [line_style(method, k) for k, method in enumerate(methods)]
        looks = {(style["color"], str(style["linestyle"])) for style in styles}
        assert len(looks) == len(methods), name


def test_dashes_tell_random_labels_from_chosen_ones() -> None:
    names = ("anova-gp/random", "anova-gp/largest-variance", "anova-gp/variance-reduction")
    styles = [line_style(name, 0) for name in names]
    assert len({str(style["linestyle"]) for style in styles}) == 3
    assert len({style["color"] for style in styles}) == 1


def test_ours_are_drawn_thickest_and_on_top() -> None:
    ours, other = line_style("anova-gp+signals/random", 0), line_style("beta-gp", 0)
    assert ours["linewidth"] > other["linewidth"]
    assert ours["zorder"] > other["zorder"]


def test_peers_are_neither_ours_nor_the_papers() -> None:
    assert is_peer("eb-regression+signals")
    assert not any(map(is_peer, ("beta-gp", "anova-gp", "aaa-2021")))
    assert is_ours("anova-gp/random")
    assert not is_ours("beta-gp")
