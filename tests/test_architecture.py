"""The rules of ARCHITECTURE.md hold, and the guard that says so can fail."""

from importlib import import_module
from pathlib import Path

import pytest

from tests.architecture import CORE_FACES, LAYERS, Tree, faults

ROOT = Path(__file__).parent.parent
OURS = Tree(ROOT, ROOT / "cli")
FACES = [
    name for name in (*LAYERS, *CORE_FACES, *(f"{layer}.schemas" for layer in LAYERS)) if name in OURS.modules
]


def test_all_packages_are_read() -> None:
    assert {module.layer for module in OURS.modules.values()} == set(LAYERS)


def test_the_rules_hold() -> None:
    assert list(faults(OURS)) == []


@pytest.mark.parametrize("face", FACES)
def test_every_name_of_a_face_can_be_had(face: str) -> None:
    module = import_module(face)
    for name in getattr(module, "__all__", ()):
        assert getattr(module, name) is not None


# What each synthetic tree holds beside the empty packages, and the words of the fault it must raise.
BREACHES = [
    ("upwards", {"l0_infra/x.py": "from l2_scheduler.schemas import Job"}, "l0_infra.x:1: imports upwards"),
    ("to the top", {"l4_multimodel/x.py": "import ogai"}, "l4_multimodel.x:1: imports upwards: ogai"),
    ("in a function", {"l1_podsys/x.py": "def f():\n    import ogai"}, "l1_podsys.x:2: imports upwards"),
    ("code crosses", {"l3_modeltools/x.py": "from l2_scheduler import submit"}, "code crosses: l2_scheduler"),
    (
        "submodule by name",
        {"ogai/x.py": "from l2_scheduler import slurm", "l2_scheduler/slurm.py": ""},
        "not a face: l2_scheduler.slurm",
    ),
    (
        "inside a face",
        {"ogai/x.py": "import l2_scheduler.schemas.job"},
        "not a face: l2_scheduler.schemas.job",
    ),
    ("inside the core", {"l2_scheduler/x.py": "from l0_infra.core.exec.ssh import Ssh"}, "not a face"),
    ("core on its layer", {"l0_infra/core/x.py": "from l0_infra import facts"}, "stands on l0_infra;"),
    ("core, relative", {"l0_infra/core/x.py": "from ..facts import f"}, "stands on l0_infra.facts"),
    (
        "schemas on code",
        {"l1_podsys/schemas/x.py": "import l1_podsys.bringup"},
        "stands on l1_podsys.bringup",
    ),
    ("unsorted", {"ogai/x.py": "__all__ = ['b', 'a']\na = b = 1"}, "ogai.x: __all__ is not sorted"),
    ("absent", {"ogai/x.py": "__all__ = ['a']"}, "ogai.x: __all__ names no such thing: a"),
    ("heavy in a command", {"ogai/commands/x.py": "import rich.table"}, "rich is loaded for help already"),
    (
        "heavy below",
        {
            "ogai/main.py": "from l0_infra.core.units import f",
            "l0_infra/core/units.py": "import yaml\ndef f(): ...",
        },
        "l0_infra.core.units:1: yaml is loaded for help already",
    ),
    (
        "heavy in a parent",
        {
            "ogai/main.py": "from ogai.render.x import f",
            "ogai/render/__init__.py": "import torch",
            "ogai/render/x.py": "",
        },
        "ogai.render:1: torch is loaded",
    ),
    (
        "two users",
        {"l0_infra/a.py": "def f():\n    import paramiko", "l1_podsys/b.py": "def f():\n    import paramiko"},
        "paramiko is imported by more than one module: l0_infra.a, l1_podsys.b",
    ),
    ("shim", {"l2_scheduler/local/shim/x.py": "import msgspec"}, "the shim would load msgspec"),
    (
        "shim, late",
        {"l2_scheduler/local/shim/x.py": "def f():\n    import click"},
        "the shim would load click",
    ),
    (
        "shim, by its parent",
        {
            "l2_scheduler/local/shim/x.py": "",
            "l2_scheduler/__init__.py": "from l2_scheduler.schemas import Job",
        },
        "l2_scheduler:1: the shim would load l2_scheduler.schemas",
    ),
    (
        "behind a face",
        {"l3_modeltools/a/x.py": "from l3_modeltools.b.y import z", "l3_modeltools/b/y.py": "z = 1"},
        "l3_modeltools.a.x:1: behind a face: l3_modeltools.b.y",
    ),
    (
        "module of a face by name",
        {"l3_modeltools/a/x.py": "from l3_modeltools.b import y", "l3_modeltools/b/y.py": ""},
        "behind a face: l3_modeltools.b.y",
    ),
    (
        "heavy supervisor",
        {
            "l3_modeltools/resilience/supervisor/x.py": "from l3_modeltools.runs import y",
            "l3_modeltools/runs/__init__.py": "import torch",
        },
        "l3_modeltools.runs:1: the supervisor would load torch",
    ),
    ("noun of a function", {"l1_podsys/x.py": "def drain_jobs(): ..."}, "the noun `job` in `drain_jobs`"),
    ("noun of a class", {"l2_scheduler/x.py": "class ModelCache: ..."}, "the noun `model` in `ModelCache`"),
    ("noun of a field", {"l0_infra/x.py": "class X:\n    checkpoint: str"}, "the noun `checkpoint`"),
]


@pytest.mark.parametrize(("files", "expected"), [pytest.param(f, e, id=i) for i, f, e in BREACHES])
def test_a_breach_is_found(tmp_path: Path, files: dict[str, str], expected: str) -> None:
    found = list(faults(_tree(tmp_path, files)))
    assert any(expected in fault for fault in found), found


ALLOWED = {
    "l2_scheduler/__init__.py": "__all__ = ['submit']\ndef __getattr__(name): ...",
    "l2_scheduler/local/shim/x.py": "import os\nfrom l2_scheduler.local.shim import y\nfrom .y import z",
    "l2_scheduler/local/shim/y.py": "z = 1",
    "l2_scheduler/x.py": "from l0_infra.core import errors\nfrom l1_podsys.schemas import State\nmodal = 1",
    "l1_podsys/x.py": "class A:\n    model: str",
    "l3_modeltools/x.py": "from l2_scheduler.schemas import Job\ndef render_job(): ...",
    "l3_modeltools/resilience/supervisor/x.py": "from l3_modeltools.runs import y\ndef f():\n    import torch",
    "l3_modeltools/runs/__init__.py": "from l3_modeltools.runs import y\n__all__ = ['y']",
    "l3_modeltools/runs/y.py": "y = 1",
    "l0_infra/core/errors.py": "",
    "ogai/main.py": "from l2_scheduler import submit\ndef f():\n    import rich",
    "ogai/flows/x.py": "import yaml",
    "ogai/x.py": "if TYPE_CHECKING:\n    import rich\n__all__ = ['A1', 'B', 'a']\nB = A1 = a = 1",
}


def test_what_is_allowed_is_no_breach(tmp_path: Path) -> None:
    assert list(faults(_tree(tmp_path, ALLOWED))) == []


def _tree(root: Path, files: dict[str, str]) -> Tree:
    for layer in LAYERS:
        (root / layer).mkdir()
        (root / layer / "__init__.py").touch()
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        for parent in path.parents:
            if parent != root and root in parent.parents:
                (parent / "__init__.py").touch()
    return Tree(root)
