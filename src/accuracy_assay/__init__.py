"""Attributed Accuracy Assay: how accurate a black-box service is, where, and how sure one can be.

``read_log`` reads evaluation logs, ``estimate`` turns labelled rows into an accuracy surface,
``compare`` ranks several of them for one mix, ``Assay`` is a session with people, and ``simulate``
replays a whole assay against known labels. Everything heavy is imported when it is first used.
"""

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from accuracy_assay.domain.renderers import register_renderer
from accuracy_assay.runtime.version import __version__

if TYPE_CHECKING:
    from accuracy_assay.domain.columns import Columns
    from accuracy_assay.domain.eval_log import EvalLog
    from accuracy_assay.domain.space import Attribute, AttributeSpace
    from accuracy_assay.domain.surface import AccuracySurface, Estimate
    from accuracy_assay.domain.text.attribute import TextAttribute
    from accuracy_assay.domain.text.columns import add_text_attributes
    from accuracy_assay.errors import AssayError, InputError
    from accuracy_assay.reports.certificate import Certificate
    from accuracy_assay.reports.checks import Gate
    from accuracy_assay.reports.judge_report import JudgeReport
    from accuracy_assay.session.assay import Assay
    from accuracy_assay.study.attributes.propose import Proposals, propose_attributes
    from accuracy_assay.study.compare.compare import compare
    from accuracy_assay.study.compare.comparison import Comparison
    from accuracy_assay.study.estimate import estimate
    from accuracy_assay.study.gate.by_judge import judged_surface
    from accuracy_assay.study.gate.check import check
    from accuracy_assay.study.history import History
    from accuracy_assay.study.judges.certify import certify
    from accuracy_assay.study.judges.report import judge_report
    from accuracy_assay.study.judges.signal_report import signal_report
    from accuracy_assay.study.look.look import Look, look
    from accuracy_assay.study.plan.by_price import plan_by_price
    from accuracy_assay.study.plan.forecast import Forecast
    from accuracy_assay.study.plan.plan import plan
    from accuracy_assay.study.read.open_rows import read_log
    from accuracy_assay.study.simulate import simulate
    from accuracy_assay.study.watch.watch import watch
    from accuracy_assay.study.watch.watched import Watch
    from accuracy_assay.tasks.example import example

__all__ = [
    "AccuracySurface",
    "Assay",
    "AssayError",
    "Attribute",
    "AttributeSpace",
    "Certificate",
    "Columns",
    "Comparison",
    "Estimate",
    "EvalLog",
    "Forecast",
    "Gate",
    "History",
    "InputError",
    "JudgeReport",
    "Look",
    "Proposals",
    "TextAttribute",
    "Watch",
    "__version__",
    "add_text_attributes",
    "certify",
    "check",
    "compare",
    "estimate",
    "example",
    "judge_report",
    "judged_surface",
    "look",
    "plan",
    "plan_by_price",
    "propose_attributes",
    "read_log",
    "signal_report",
    "simulate",
    "watch",
]

_HOME = {
    "AccuracySurface": "domain.surface",
    "Assay": "session.assay",
    "AssayError": "errors",
    "Attribute": "domain.space",
    "AttributeSpace": "domain.space",
    "Columns": "domain.columns",
    "Estimate": "domain.surface",
    "EvalLog": "domain.eval_log",
    "Forecast": "study.plan.forecast",
    "Gate": "reports.checks",
    "History": "study.history",
    "InputError": "errors",
    "JudgeReport": "reports.judge_report",
    "Look": "study.look.look",
    "Proposals": "study.attributes.propose",
    "TextAttribute": "domain.text.attribute",
    "add_text_attributes": "domain.text.columns",
    "check": "study.gate.check",
    "Certificate": "reports.certificate",
    "certify": "study.judges.certify",
    "Comparison": "study.compare.comparison",
    "compare": "study.compare.compare",
    "estimate": "study.estimate",
    "example": "tasks.example",
    "judged_surface": "study.gate.by_judge",
    "judge_report": "study.judges.report",
    "look": "study.look.look",
    "plan": "study.plan.plan",
    "plan_by_price": "study.plan.by_price",
    "propose_attributes": "study.attributes.propose",
    "read_log": "study.read.open_rows",
    "signal_report": "study.judges.signal_report",
    "simulate": "study.simulate",
    "Watch": "study.watch.watched",
    "watch": "study.watch.watch",
}


_RENDERERS = {
    "card": ("reports.card", "surface_card"),
    "mlflow": ("reports.mlflow_log", "log_to_mlflow"),
    "notebook": ("reports.notebook", "notebook_html"),
    "picture": ("reports.picture", "write_surface_picture"),
    "report": ("reports.page", "write_surface_page"),
    "text": ("reports.plain_text", "surface_text"),
    "wandb": ("reports.wandb_log", "log_to_wandb"),
}
"""What the methods of a surface show it with."""


def _load(home: str, name: str) -> Any:
    return getattr(import_module(f"accuracy_assay.{home}"), name)


for _name, _found in _RENDERERS.items():
    register_renderer(_name, partial(_load, *_found))


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'accuracy_assay' has no attribute {name!r}")
    return _load(_HOME[name], name)


def __dir__() -> list[str]:
    return sorted(__all__)
