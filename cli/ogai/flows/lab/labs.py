"""Labs of this person: up, down, and what of them lives."""

import os
from collections.abc import Callable
from pathlib import Path

from l0_infra.core.exec import LocalRunner
from l0_infra.core.store import ogai_home, prepare_home
from l1_podsys import (
    Lab,
    LabOs,
    LabPlace,
    LabWish,
    bring_lab_up,
    describe_lab_cluster,
    lab_names,
    load_lab,
    load_labs,
    render_lab_cluster,
    take_lab_down,
)
from ogai.flows.named_file import refuse_no_folder, save_named

__all__ = ["down", "here", "host_names", "load", "names", "up"]

OnStep = Callable[[str], None]


def here() -> LabPlace:
    """Where this person's labs are."""
    import platformdirs

    home = prepare_home(ogai_home(os.environ))
    return LabPlace(home=home, cache=Path(platformdirs.user_cache_dir("ogai")) / "labs", runner=LocalRunner())


def up(
    name: str = "lab",
    *,
    nodes: int = 4,
    os_name: LabOs = "debian12",
    directory: Path | None = None,
    memory_bytes: int | None = None,
    vary: bool = False,
    mirror: str | None = None,
    output: Path | None = Path("lab.yaml"),
    on_step: OnStep = lambda text: None,
) -> Lab:
    """Make a lab, or what it lacks; its `cluster` document is written to `output`.

    Raises UsageError for what is meant badly, UnsatisfiableError for what a lab that is there cannot become.
    """
    place = here()
    if output is not None:
        refuse_no_folder(output)
    wish = LabWish(
        name=name,
        nodes=nodes,
        os=os_name,
        directory=directory,
        memory_bytes=memory_bytes,
        vary=vary,
        mirror=mirror,
    )
    lab = bring_lab_up(place, wish, on_step=on_step)
    if output is not None:
        text = render_lab_cluster(describe_lab_cluster(lab, place.layout(lab.name)))
        save_named(output, text)
    return lab


def down(name: str = "lab") -> bool:
    """Leave nothing of a lab; False when there was none."""
    return take_lab_down(here(), name)


def load(name: str = "lab") -> Lab:
    """Read what a lab consists of."""
    return load_lab(here().home, name)


def host_names() -> tuple[str, ...]:
    """Name every host of every lab."""
    return tuple(host.name for lab in load_labs(here().home) for host in lab.hosts)


def names() -> tuple[str, ...]:
    """Name every lab, also one that is half made."""
    return lab_names(here().home)
