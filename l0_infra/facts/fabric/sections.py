"""Several runs of one tool in one file: a line `# ethtool -a ens1np0` stands before what each printed."""

import re
from collections.abc import Iterator

__all__ = ["ANY_DEVICE", "each_port", "sections"]

ANY_DEVICE = 'for device in /sys/class/infiniband/*; do [ -e "$device" ] && break; done'
"""The shell's test of whether the node has an RDMA device."""

INTERFACES = "/sys/class/infiniband/*/device/net/*"
"""Where the kernel lists the network interfaces of RDMA devices."""


def each_port(*commands: str, ethernet: bool) -> str:
    """Write the shell commands that run each command for every interface of an RDMA device, `{}` being its name."""
    only = 'read -r type <"$path/type" && [ "$type" = 1 ] || continue; ' if ethernet else ""
    told = [one.replace("{}", "$name") for one in commands]
    runs = "; ".join(f'echo "# {one.partition(" | ")[0]}"; {one}' for one in told)
    return f'for path in {INTERFACES}; do [ -e "$path" ] || continue; {only}name=${{path##*/}}; {runs}; done; true'


def sections(text: str, program: str) -> Iterator[tuple[str, str]]:
    """Yield (interface, output); what stands before the first such line belongs to the interface named ``."""
    name = ""
    lines: list[str] = []
    for line in text.split("\n"):
        head = re.fullmatch(rf"# {program}\b(?:.*\s)?(\S{{1,64}})\s*", line)
        if head:
            yield name, "\n".join(lines)
            name, lines = head[1], []
        else:
            lines.append(line)
    yield name, "\n".join(lines)
