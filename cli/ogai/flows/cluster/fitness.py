"""What the verdicts of a check come to: fit, sick, or not known."""

from collections.abc import Sequence

from l0_infra.core.errors import FactsMissingError, UnhealthyError
from l0_infra.core.units import format_count
from l1_podsys.schemas import Health, Verdict
from ogai.flows.node.lost import name_all

__all__ = ["raise_for_verdicts"]

MOST_CODES = 3


def raise_for_verdicts(health: Health) -> None:
    """Raise UnhealthyError for a critical verdict, else FactsMissingError for what is not known."""
    where = f"ogai cluster check of `{health.cluster}`"
    critical = [one for one in health.verdicts if one.severity == "critical"]
    if critical:
        raise UnhealthyError(
            where,
            found=f"{name_all(one.node for one in critical)} unfit for work",
            expected="no critical verdict",
            hint="each verdict above says how to mend it",
        )
    unknown = [one for one in health.verdicts if one.severity == "unknown"]
    if unknown or not health.verdicts:
        raise FactsMissingError(
            where,
            found=_not_checked(unknown) if unknown else "no verdict",
            expected="a verdict of every check",
            hint=unknown[0].hint if unknown else "",
        )


def _not_checked(unknown: Sequence[Verdict]) -> str:
    codes = list(dict.fromkeys(one.check for one in unknown))
    shown = ", ".join([*codes[:MOST_CODES], *(["…"] if len(codes) > MOST_CODES else [])])
    names = name_all(one.node for one in unknown)
    return f"nothing critical, but {format_count(len(codes), 'check')} not made on {names}: {shown}"
