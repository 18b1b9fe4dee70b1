"""The experiments by name: section 4 of the paper and its appendices, with our methods beside."""

from collections.abc import Mapping

from accuracy_assay.bench.experiment import Experiment

__all__ = ["EXPERIMENTS"]

_PAPER = (
    "constant",
    "beta-independent",
    "bern-gp",
    "beta-gp",
    "beta-gp-ab",
    "beta-gp-sl",
    "beta-gp-slp",
)
_PEERS = (
    "metric-frame",
    "structured-regression",
    "shrinkage",
    "eb-regression",
    "eb-regression+signals",
)
_OURS = ("anova-gp", "anova-gp+signals")
_EVERY_500 = tuple(range(500, 3_501, 500))

_ESTIMATION = Experiment(
    "estimation",
    "Error against labelled size, random labels (table 2 and figure 3)",
    "sizes",
    methods=(*_PAPER, *_PEERS, *_OURS),
    quick_methods=("constant", "beta-independent", "beta-gp-sl", "beta-gp-slp", *_PEERS, *_OURS),
    sizes=_EVERY_500,
    quick_sizes=(500, 2_000),
    data_tasks=("adult5", "am2g", "am2d", "am1n"),
    quick_data_tasks=("adult5", "am2g"),
)
_EXPLORATION = Experiment(
    "exploration",
    "Macro MSE against labels, by method and strategy (figure 4)",
    "rounds",
    methods=(
        "beta-independent/random",
        "beta-independent/largest-variance",
        "bern-gp/largest-variance",
        "beta-gp/largest-variance",
        "beta-gp-sl/largest-variance",
        "beta-gp-slp/random",
        "beta-gp-slp/largest-variance",
        "anova-gp/random",
        "anova-gp/largest-variance",
        "anova-gp/variance-reduction",
        "anova-gp+signals/random",
        "anova-gp+signals/variance-reduction",
    ),
    quick_methods=(
        "beta-independent/largest-variance",
        "anova-gp/random",
        "anova-gp/variance-reduction",
    ),
    sizes=(1_500,),
    quick_sizes=(1_000,),
    data_tasks=("adult5", "am2g"),
    quick_data_tasks=("adult5",),
)
_CALIBRATION = Experiment(
    "calibration",
    "Macro MSE of beta-independent, random labels, by calibration (figure 5)",
    "sizes",
    methods=tuple(f"beta-independent@{c}" for c in ("raw", "temperature", "full")),
    quick_methods=tuple(f"beta-independent@{c}" for c in ("raw", "temperature", "full")),
    sizes=_EVERY_500,
    quick_sizes=(500, 2_000),
    tasks=("digits",),
    quick_tasks=("digits",),
    data_tasks=("am1n", "am1n-deepspeech"),
    quick_data_tasks=("am1n",),
)
_PARAMETERISATION = Experiment(
    "parameterisation",
    "Mean and scale against alpha and beta (appendix)",
    "sizes",
    methods=("beta-gp", "beta-gp-ab"),
    quick_methods=("beta-gp", "beta-gp-ab"),
    sizes=(1_000, 2_000, 3_500),
    quick_sizes=(2_000,),
    data_tasks=("adult5", "am2g"),
    quick_data_tasks=("adult5",),
)

EXPERIMENTS: Mapping[str, Experiment] = {
    experiment.name: experiment
    for experiment in (_ESTIMATION, _EXPLORATION, _CALIBRATION, _PARAMETERISATION)
}
