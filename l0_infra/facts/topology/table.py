"""The table of `nvidia-smi topo -m` and `npu-smi info -t topo`: one row and column a device, then affinities.

Columns stand apart by tabs or blanks, or run into one another behind the matrix; tail.py takes those apart.
"""

import re
from collections.abc import Iterator, Sequence

import msgspec

__all__ = ["Row", "Table", "parse_table"]

ESCAPES = re.compile(r"\x1b?\[[0-9;]{0,8}m|\x1b\[[0-9;?]{0,8}[A-Za-z]")
TAILS = ("CPU Affinity", "NUMA Affinity", "GPU NUMA ID")
COLUMN = re.compile(r"CPU\s+Affinity|NUMA\s+Affinity|GPU\s+NUMA\s+ID|\S+")
DEVICE = re.compile(r"(?:GPU|NPU|Phy-ID|NIC)[0-9]{1,4}|[a-z][\w.-]{0,63}")
LEGEND = re.compile(r"^\s*(NIC[0-9]{1,4})\s*:\s*(\S{1,64})\s*$", re.M)
ENOUGH = 4096
"""Characters of a row; what is longer is no row."""
DEVICES_MOST = 128


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One device's row: its cells in the order of the columns, and what stands behind them."""

    device: str
    cells: tuple[str, ...]
    tail: str


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """What was read; a row that does not fit the columns is in `garbled`."""

    devices: tuple[str, ...] = ()
    tails: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    names: dict[str, str] = {}
    """RDMA devices by what the columns call them, from the legend."""
    garbled: tuple[str, ...] = ()


def parse_table(text: str) -> Table:
    """Read the first table in a text; an empty one where there is none."""
    lines = [ESCAPES.sub("", line) for line in text.split("\n") if line and len(line) <= ENOUGH]
    heads = (index for index, line in enumerate(lines) if _is_head(line))
    start = next(heads, None)
    if start is None:
        return Table()
    columns = [" ".join(column.split()) for column in COLUMN.findall(lines[start])]
    devices = tuple(dict.fromkeys(column for column in columns if column not in TAILS))
    if len(devices) > DEVICES_MOST:
        return Table()
    rows, garbled = [], []
    for line in _rows(lines[start + 1 :], devices):
        row = _row(line, devices)
        if row:
            rows.append(row)
        else:
            garbled.append(line.strip())
    return Table(
        devices=devices,
        tails=tuple(column for column in columns if column in TAILS),
        rows=tuple(rows),
        names=_legend(text),
        garbled=tuple(garbled),
    )


def _legend(text: str) -> dict[str, str]:
    """Read what NICs are called; of two that a torn legend calls alike only the first is."""
    first = {name: nic for nic, name in reversed(LEGEND.findall(text))}
    return {nic: name for name, nic in first.items()}


def _is_head(line: str) -> bool:
    first, second, *_ = [*COLUMN.findall(line), "", ""]
    return (
        bool(re.fullmatch(r"(GPU|NPU|Phy-ID|NIC)[0-9]{1,4}", first))
        and second != "X"
        and (not second or second in TAILS or bool(DEVICE.fullmatch(second)))
    )


def _rows(lines: Sequence[str], devices: Sequence[str]) -> Iterator[str]:
    """Yield the lines that begin with a device, up to the legend."""
    for line in lines:
        words = line.split(maxsplit=1)
        if words and words[0] in devices:
            yield line
        elif words and words[0] == "Legend:":
            return


def _row(line: str, devices: Sequence[str]) -> Row | None:
    """Take a row apart; one with too few cells, or its `X` elsewhere, has lost something."""
    device, *rest = line.split(maxsplit=len(devices) + 1)
    cells, tail = rest[: len(devices)], rest[len(devices) :]
    if len(cells) < len(devices) or cells[devices.index(device)] != "X" or cells.count("X") != 1:
        return None
    return Row(device=device, cells=tuple(cells), tail=" ".join("".join(tail).split()))
