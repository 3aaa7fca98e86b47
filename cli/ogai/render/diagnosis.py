"""How `ogai doctor` looks to a person."""

from collections.abc import Iterator

from l0_infra.core.units import format_bytes
from ogai.flows.doctor import Diagnosis, Home
from ogai.flows.requirements import BASE, Extra
from ogai.render.current_cluster import describe_cluster
from ogai.render.table import print_fields

__all__ = ["describe_diagnosis", "print_diagnosis"]

Field = tuple[str, str]


def print_diagnosis(diagnosis: Diagnosis) -> None:
    """Print it on stdout."""
    print_fields(list(describe_diagnosis(diagnosis)))


def describe_diagnosis(diagnosis: Diagnosis) -> Iterator[Field]:
    """Yield names and values; a name without a value heads what follows."""
    machine = diagnosis.machine
    yield "Machine", ""
    yield "  system", f"{machine.system}, Linux {machine.kernel}, {machine.architecture}"
    yield "  python", machine.python
    yield "  cpus", str(machine.cpus)
    yield "  memory", format_bytes(machine.memory_bytes)
    yield "  memory limits", _limits(diagnosis)
    yield "Accelerators", ""
    yield from _accelerators(diagnosis)
    yield "Tools", ""
    yield from ((f"  {tool.name}", tool.path or f"not found (to {tool.purpose})") for tool in diagnosis.tools)
    yield f"ogai {diagnosis.version}", ""
    yield "  home", _home(diagnosis.home)
    yield "  agent", "running" if diagnosis.agent_alive else "not running; the first job starts it"
    yield "  cluster", _cluster(diagnosis)
    yield from ((f"  {extra.name or 'base'}", _extra(extra)) for extra in diagnosis.extras)


def _limits(diagnosis: Diagnosis) -> str:
    limits = diagnosis.memory_limits
    can = "can be set" if limits.settable else "cannot be set"
    version = f"cgroup v{limits.cgroup_version}: " if limits.cgroup_version else ""
    return f"{can} ({version}{limits.reason})"


def _accelerators(diagnosis: Diagnosis) -> Iterator[Field]:
    found = [tool for tool in diagnosis.accelerator_tools if tool.path]
    if not found:
        names = ", ".join(tool.name for tool in diagnosis.accelerator_tools)
        yield "  none", f"no vendor's tool on PATH ({names})"
    yield from ((f"  {tool.purpose}", tool.path or "") for tool in found)


def _home(home: Home) -> str:
    flaws = [
        flaw
        for flaw, there in (
            ("not writable", not home.writable),
            ("a network file system: set OGAI_HOME to a local disk", home.network),
        )
        if there
    ]
    return "; ".join((f"{home.path} ({home.filesystem}, {format_bytes(home.free_bytes)} free)", *flaws))


def _cluster(diagnosis: Diagnosis) -> str:
    if diagnosis.cluster is None:
        return "none is current; jobs run on this machine"
    return f"{describe_cluster(diagnosis.cluster)} is current; jobs run on this machine"


def _extra(extra: Extra) -> str:
    if extra.ready:
        return "ready: " + ", ".join(f"{package.name} {package.installed}" for package in extra.packages)
    missing = ", ".join(f"{package.name}{package.wanted}" for package in extra.packages if not package.enough)
    what = "broken" if extra.name == BASE else "missing"
    return f"{what}: {missing}; bring it: {extra.command}"
