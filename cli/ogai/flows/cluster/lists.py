"""Lists of hosts come in as a cluster's document, and a cluster goes out as an Ansible inventory."""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from l0_infra.core.documents import parse_document, render_brief
from l0_infra.core.errors import DocumentError, Fault, describe_os_error
from l0_infra.core.exec import Secret
from l0_infra.schemas import ApplyRole, Plan
from l1_podsys import ListForm, Note, assemble, cluster_members, guess_form, parse_list, render_inventory
from l1_podsys.schemas import Cluster
from ogai.flows.cluster.place import ClusterPlace
from ogai.flows.cluster.planned import plan_cluster
from ogai.flows.cluster.prepare import prepare, settle
from ogai.flows.cluster.roles import load_all_roles
from ogai.flows.cluster.survey import OnNode
from ogai.flows.cluster.switches import kept_switches
from ogai.flows.cluster.work import wanted_cluster, work_on
from ogai.flows.wheel import planned_wheel

__all__ = ["ExportedInventory", "ImportedCluster", "export_inventory", "import_list"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedCluster:
    """A cluster made of a list, its document as text, and what of the list is not in it."""

    cluster: Cluster
    document: str
    form: ListForm
    notes: tuple[Note, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ExportedInventory:
    """An Ansible inventory as text, and the nodes of which nothing is known but their names and addresses."""

    text: str
    unseen: tuple[str, ...]


def import_list(
    path: str | Path, form: ListForm | None = None, *, name: str | None = None, head: str | None = None
) -> ImportedCluster:
    """Read a list of hosts (`form` None: guessed); nothing is written, and no host is asked.

    `name` is the cluster's, else it is made of the file's; `head` leads where the list does not say who does. Raises
    DocumentError with all faults.
    """
    path = Path(path)
    text = _text(path)
    form = form or guess_form(text, path.name)
    imported = assemble(parse_list(text, form, str(path)), name=name or _name(path), head=head)
    document = render_brief(imported.cluster)
    parse_document(document, source=f"what comes of {path}", expect=Cluster)
    notes = (*imported.notes, *_beside(path, form))
    return ImportedCluster(cluster=imported.cluster, document=document, form=form, notes=notes)


def export_inventory(
    file: str | Path | None = None,
    *,
    name: str | None = None,
    look: bool = False,
    password: Secret | None = None,
    on_node: OnNode | None = None,
) -> ExportedInventory:
    """Write a cluster as an Ansible inventory with everything that our roles are told.

    The cluster is that of a document, else one that is kept here (None: the current one). With `look` all its nodes
    are looked at first, and what was found of them is kept, with the secrets that roles are told of, as `up` does it;
    no node is changed. Without, no node is asked: of those that were looked at before that is known.
    """
    cluster, place = wanted_cluster(None if file is None else Path(file), name)
    plan = _looked(cluster, place, password, on_node) if look else _known(cluster, place)
    seen = place.load_traits()
    return ExportedInventory(
        text=render_inventory(cluster, _variables(plan)),
        unseen=tuple(one for one in cluster_members(cluster) if one not in seen),
    )


def _known(cluster: Cluster, place: ClusterPlace) -> Plan:
    """Plan by what is kept here."""
    names, identity = list(cluster_members(cluster)), place.load_identity() or ""
    wheel = planned_wheel(place.home) if cluster.runtime.install else None
    return plan_cluster(
        cluster,
        place,
        names,
        load_all_roles(),
        {},
        place.load_traits(),
        identity=identity,
        wheel=wheel,
        switches=kept_switches(cluster, place),
    )


def _looked(cluster: Cluster, place: ClusterPlace, password: Secret | None, on_node: OnNode | None) -> Plan:
    """Look, plan, and keep what the plan stands on."""
    with work_on(cluster, place, "ogai cluster export", password=password) as work:
        prepared = prepare(
            cluster,
            place,
            list(cluster_members(cluster)),
            work.nodes,
            work.ledger,
            roles=load_all_roles(),
            sudo=work.sudo,
            on_node=on_node,
        )
        return settle(prepared, work.nodes, sudo=work.sudo).plan


def _variables(plan: Plan) -> Mapping[str, Mapping[str, str]]:
    told: dict[str, dict[str, str]] = defaultdict(dict)
    for step in plan.steps:
        if isinstance(step.action, ApplyRole):
            told[step.node].update(step.action.variables)
    return told


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        found = describe_os_error(error) if isinstance(error, OSError) else "text that is not UTF-8"
        fault = Fault(path=(), where=str(path), found=found, expected="a file that can be read")
        raise DocumentError(str(path), [fault]) from error


def _name(path: Path) -> str:
    """Make a cluster's name of a file's."""
    plain = re.sub(r"[^a-z0-9]+", "-", path.stem.lower()).strip("-")
    return plain[:40] if re.match(r"[a-z]", plain) else f"pod-{plain}"[:40].rstrip("-")


def _beside(path: Path, form: ListForm) -> list[Note]:
    """Note folders of variables that Ansible would read too."""
    if form != "ansible-inventory":
        return []
    folders = [path.parent / folder for folder in ("group_vars", "host_vars")]
    why = "variables in files of their own are not read"
    return [Note(where=str(folder), what="this folder", why=why) for folder in folders if folder.is_dir()]
