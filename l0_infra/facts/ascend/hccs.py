"""The HCCS links of a chip: `npu-smi info -t hccs` lists speed and errors of each in one line."""

from collections.abc import Iterator

from l0_infra.facts.ascend.queries import Fields
from l0_infra.facts.quantity import total
from l0_infra.facts.tree import integer
from l0_infra.schemas import AcceleratorLink

__all__ = ["hccs_links"]

LAST = 7
"""The tool's lists end with link 7, wherever they begin: a product's first links may not be HCCS."""

GBIT_BYTES = 1e9 / 8


def hccs_links(fields: Fields) -> tuple[AcceleratorLink, ...] | None:
    """Read the links; of a chip that is not healthy, the first that has trouble counts as down.

    A list of one link, asked for alone, does not say which it is.
    """
    speeds = _list(fields.get("hccs link speed"))
    if not 1 < len(speeds) <= LAST + 1:
        return None
    return tuple(_links(fields, speeds))


def _links(fields: Fields, speeds: list[int | None]) -> Iterator[AcceleratorLink]:
    errors, retries = (_list(fields.get(f"hccs {kind} count")) for kind in ("error", "retry"))
    broken = (
        integer(fields.get("hccs first error lane")) if fields.get("hccs health status") == "NOK" else None
    )
    for at, speed in enumerate(speeds):
        index = LAST + 1 - len(speeds) + at
        counts = [one[at] for one in (errors, retries) if len(one) == len(speeds)]
        yield AcceleratorLink(
            index=index,
            kind="hccs",
            active=None if speed is None else speed > 0 and index != broken,
            bandwidth_bytes_per_s=speed * GBIT_BYTES if speed else None,
            errors=total(*(None if count is None else str(count) for count in counts)),
        )


def _list(value: str | None) -> list[int | None]:
    """Read `[224   224   0 ]`."""
    words = (value or "").strip()
    return [integer(word) for word in words[1:-1].split()] if words[:1] == "[" and words[-1:] == "]" else []
