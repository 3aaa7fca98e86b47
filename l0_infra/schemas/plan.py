"""What would be done, as data: ordered steps, each with its reason, before any of it is done."""

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from typing import Annotated

from msgspec import Meta, field

from l0_infra.core.documents import Document, Part, Text, unknown
from l0_infra.core.errors import Fault

__all__ = ["Action", "ApplyRole", "Plan", "Reboot", "RunCommand", "Step", "WaitFor", "WriteFile"]

Duration = Annotated[float, Meta(gt=0, extra_json_schema={"x-unit": "seconds"})]
Argv = Annotated[tuple[str, ...], Meta(min_length=1)]


class RunCommand(
    Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="command"
):
    """Run a program on the node."""

    argv: Annotated[Argv, Meta(description="Program and arguments, run without a shell.")]
    deadline_s: Annotated[Duration, Meta(description="It is ended after this time.")] = 600.0


class WriteFile(Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="file"):
    """Put a file in place, whole or not at all."""

    path: Annotated[str, Meta(pattern=r"^/", description="Absolute path on the node.")]
    content: Annotated[str, Meta(description="The whole text; never a secret.")]
    mode: Annotated[str, Meta(pattern=r"^0[0-7]{3}$", description="Permissions, in octal.")] = "0644"


class ApplyRole(Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="role"):
    """Apply an Ansible role to the node."""

    role: Annotated[Text, Meta(description="Name of the role.")]
    variables: Annotated[
        dict[str, str], Meta(description="Decisions handed to the role, each as JSON text; never a secret.")
    ] = field(default_factory=dict)


class Reboot(Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="reboot"):
    """Restart the node and wait until it answers with a new boot id."""

    deadline_s: Annotated[Duration, Meta(description="The node must answer again within this time.")] = 1800.0


class WaitFor(Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="wait"):
    """Wait until a check succeeds."""

    argv: Annotated[Argv, Meta(description="Check, run without a shell; exit code 0 ends the wait.")]
    every_s: Annotated[Duration, Meta(description="Time between two checks.")] = 5.0
    deadline_s: Annotated[Duration, Meta(description="The step fails after this time.")] = 600.0


Action = RunCommand | WriteFile | ApplyRole | Reboot | WaitFor


class Step(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One step: what is done where, and why."""

    id: Annotated[Text, Meta(description="Name of the step, unique in its plan.")]
    node: Annotated[Text, Meta(description="Node it acts on.")]
    reason: Annotated[Text, Meta(description="Why it is needed, in one sentence.")]
    action: Annotated[Action, Meta(description="What is done.")]
    key: Annotated[
        Text,
        Meta(description="Idempotence key: a step whose key is in the ledger as done is not done again."),
    ]
    after: Annotated[tuple[str, ...], Meta(description="Ids of steps that must be done before.")] = ()


class Plan(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="plan"):
    """Steps in the order they are shown; `after` says which must wait for which."""

    title: Annotated[Text, Meta(description="What the plan brings about.")]
    steps: Annotated[tuple[Step, ...], Meta(description="The steps; none: nothing is to be done.")] = ()

    def faults(self) -> Iterator[Fault]:
        """Yield ids and keys used twice, unknown ids in `after`, and every circle."""
        yield from self._repeats()
        yield from self._unknown()
        yield from self._circles()

    def _repeats(self) -> Iterator[Fault]:
        seen: dict[tuple[str, str], int] = {}
        for index, step in enumerate(self.steps):
            for name, value in (("id", step.id), ("key", step.key)):
                first = seen.setdefault((name, value), index)
                if first != index:
                    found = f"`{value}`, already that of steps[{first}]"
                    yield Fault(path=("steps", index, name), found=found, expected=f"a unique {name}")

    def _unknown(self) -> Iterator[Fault]:
        ids = [step.id for step in self.steps]
        for index, step in enumerate(self.steps):
            for place, wanted in enumerate(step.after):
                path = ("steps", index, "after", place)
                yield from unknown(path, wanted, ids, what="the id of a step of this plan")

    def _circles(self) -> Iterator[Fault]:
        index_of = {step.id: index for index, step in enumerate(self.steps)}
        after = {step.id: {other for other in step.after if other in index_of} for step in self.steps}
        while circle := _circle(after):
            yield Fault(
                path=("steps", index_of[circle[0]], "after"),
                found=" → ".join(circle),
                expected="an order without circles",
                hint="take one of these out of the other's `after`",
            )
            after = {step: others - set(circle) for step, others in after.items() if step not in circle}


def _circle(after: dict[str, set[str]]) -> list[str]:
    """Find one circle, first step repeated at the end; empty when there is none."""
    try:
        TopologicalSorter(after).prepare()
    except CycleError as error:
        circle: list[str] = error.args[1]
        return circle
    return []
