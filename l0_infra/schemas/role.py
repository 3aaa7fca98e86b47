"""An Ansible role of ours as a plan sees it: what for, on which nodes, after what, and how its outcome is seen."""

from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Document, Part, Text

__all__ = ["WATCHING", "Outcome", "Role", "Where"]

RoleName = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]*$")]
WATCHING = 2
"""The turn of roles that work can do without."""

Where = Literal["all", "controller", "head", "login", "compute", "storage"]


class Outcome(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a role leaves on a node, so that one look tells whether it still holds.

    `{name}` stands for the role's variable of that name.
    """

    files: Annotated[
        tuple[Text, ...], Meta(description="Files it writes, absolute; content, mode and owner are compared.")
    ] = ()
    services: Annotated[tuple[Text, ...], Meta(description="Units it keeps active and enabled.")] = ()
    packages: Annotated[tuple[Text, ...], Meta(description="Packages it installs.")] = ()
    data: Annotated[
        tuple[Text, ...],
        Meta(description="Folders with what it gathers over time, which outlive the cluster."),
    ] = ()
    changes: Annotated[
        tuple[Text, ...],
        Meta(description="Files of others that it changes; they come back from `FILE.before-ogai`."),
    ] = ()
    blocks: Annotated[
        tuple[Text, ...],
        Meta(
            description="Files of others with lines of ours from `# BEGIN ogai` to `# END ogai`, which go again."
        ),
    ] = ()
    commands: Annotated[
        tuple[Text, ...],
        Meta(
            description="Shell commands that change nothing; what they print is compared: `sysctl -n vm.swappiness`."
            " One that cannot tell now ends with exit code 75."
        ),
    ] = ()


class Role(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="role"):
    """One role, from `roles/<name>/meta/ogai.yml`.

    Roles that are free to begin do so by their turns; one whose turn is `WATCHING` holds nobody when it hangs.
    """

    name: Annotated[RoleName, Meta(description="Name of the role and of its folder.")]
    reason: Annotated[Text, Meta(description="Why a node needs it, in one sentence.")]
    on: Annotated[tuple[Where, ...], Meta(min_length=1, description="Nodes it is for.")]
    after: Annotated[
        tuple[RoleName, ...],
        Meta(description="Roles that come before it on the same node, if it gets them."),
    ] = ()
    after_controller: Annotated[
        tuple[RoleName, ...], Meta(description="Roles that must be done on the controller before.")
    ] = ()
    turn: Annotated[
        int,
        Meta(
            ge=0,
            description="Its turn on a node: 0 if work waits for it, 1 if it takes long, 2 if it only watches.",
        ),
    ] = 0
    outcome: Annotated[Outcome, Meta(description="How its outcome is seen.")] = Outcome()
