"""``assay team``: what each annotator has done, how reliable they are, and how well they agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accuracy_assay.cli.options import AsJson
from accuracy_assay.cli.session import AssayName, PoolPath, SeedSetPath, StoreAddress

if TYPE_CHECKING:
    from rich.table import Table

    from accuracy_assay.session.team import Member, Team

__all__ = ["team", "team_table"]

_SHOWN = 5


def team(
    store: StoreAddress,
    name: AssayName = None,
    pool: PoolPath = None,
    seed_set: SeedSetPath = None,
    as_json: AsJson = False,
) -> None:
    """Show how reliable each annotator is, how well they agree, and what they mix up.

    Example: [bold]assay team my.assay[/bold]
    """
    from accuracy_assay.cli.console import one_line, print_json, results
    from accuracy_assay.cli.session import open_assay

    with open_assay(store, name, pool, seed_set) as assay:
        found = assay.team()
    if as_json:
        print_json(found.to_dict())
        return
    out = results()
    if not found.members:
        out.print("nobody has answered, and nobody is invited")
        return
    out.print(team_table(found))
    for line in _remarks(found):
        out.print(one_line(line), soft_wrap=True)


def team_table(found: Team) -> Table:
    """Return one row per annotator."""
    from accuracy_assay.cli.console import text_table

    columns = [
        "annotator",
        "answers",
        "seconds",
        "agrees",
        "reliability",
        "checks right",
        "skipped",
    ]
    return text_table(columns, [_row(member) for member in found.members])


def _row(member: Member) -> list[str]:
    return [
        member.name,
        f"{member.answers}",
        "" if member.seconds is None else f"{member.seconds:.1f}",
        "" if member.agrees is None else f"{member.agrees:.0%}",
        _reliability(member),
        f"{member.right} of {member.checked}" if member.checked else "",
        f"{member.skipped}",
    ]


def _reliability(member: Member) -> str:
    if member.is_expert:
        return "expert: the truth"
    if member.answers_at_random:
        return "at random"
    if member.reliability is None:
        return ""
    mean, lower, upper = member.reliability
    return f"{mean:.0%} ({lower:.0%} to {upper:.0%})"


def _remarks(found: Team) -> list[str]:
    """Return what the table does not say."""
    said = []
    for member in found.members:
        if member.answers_at_random:
            checks = (
                f" ({member.right} of {member.checked} checks right)" if member.checked else ""
            )
            said.append(
                f"{member.name} answers at random{checks}: these answers count for nothing, and "
                "no new instances are asked of them"
            )
        if member.drift is not None and member.drift.is_clear:
            early, late = member.drift.early, member.drift.late
            moves = "fell" if late < early else "rose"
            said.append(f"{member.name}: reliability {moves} from {early:.0%} to {late:.0%}")
    if found.alpha is not None:
        ends = found.alpha_interval
        shown = "" if ends is None else f" (90% interval {ends[0]:.2f} to {ends[1]:.2f})"
        said.append(
            f"agreement: Krippendorff's alpha {found.alpha:.2f}{shown} over {found.shared} shared "
            "instances; 1 is full agreement, 0 is chance"
        )
    elif found.shared:
        said.append(f"agreement: all {found.shared} shared instances got the same answer")
    else:
        said.append("agreement: no instance has two answers")
    if found.confusions:
        shown = "; ".join(
            f"{c.answer} for {c.truth}, {c.count}" for c in found.confusions[:_SHOWN]
        )
        said.append(f"most frequent mistakes: {shown}")
    if found.disputes:
        said.append(f"{len(found.disputes)} in dispute: settle them on the page, or Assay.settle")
    if found.trust is not None:
        said.append(found.trust)
    if any(member.reliability for member in found.members):
        said.append(
            "reliability: the share of right answers to a typical instance, by known instances "
            "and by what others answered; people who err together look better than they are"
        )
    return said
