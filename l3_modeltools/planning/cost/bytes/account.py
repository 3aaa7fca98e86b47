"""The account of a step's memory: what each pipeline stage holds, keeps and lets pass, term by term."""

from dataclasses import dataclass

from l3_modeltools.planning.cost.bytes import ends
from l3_modeltools.planning.cost.bytes.allowances import context_bytes, fragmentation
from l3_modeltools.planning.cost.bytes.flight import in_flight
from l3_modeltools.planning.cost.bytes.layer import Layer, layers_of
from l3_modeltools.planning.cost.bytes.parameters import stage_parameters
from l3_modeltools.planning.cost.bytes.place import Chunk, Stage, stages_of
from l3_modeltools.planning.cost.bytes.spare import spare_bytes
from l3_modeltools.planning.cost.bytes.states import gradient_bytes, optimizer_bytes, sharing_of, weight_bytes
from l3_modeltools.planning.cost.bytes.tensors import rank_of
from l3_modeltools.planning.cost.bytes.terms import StageMemory, StepMemory
from l3_modeltools.planning.cost.bytes.traffic import (
    copy_traffic,
    ending_bytes,
    passing_gradients,
    stage_traffic,
)
from l3_modeltools.planning.cost.setting import Setting

__all__ = ["Like", "like_of", "memory_of", "stage_bytes"]


@dataclass(frozen=True, slots=True)
class Like:
    """What stages with the same layers have in common; by virtual stage: bytes kept of a micro batch, layers."""

    weights: int
    gradients: int
    master_and_moments: int
    kept: tuple[int, ...]
    logits: int
    workspace: int
    ending: int
    communication: int
    communication_each: int
    layers: tuple[int, ...]
    context: int


def memory_of(setting: Setting, device_memory_bytes: int | None = None) -> StepMemory:
    """Bytes that a rank of each pipeline stage needs in a step, term by term; the setting's strategy must be legal."""
    known: dict[Stage, Like] = {}
    stages = []
    for stage, flying in zip(stages_of(setting), in_flight(setting), strict=True):
        if stage not in known:
            known[stage] = like_of(setting, stage)
        stages.append(stage_memory(known[stage], flying))
    return StepMemory(stages=tuple(stages), device_memory_bytes=device_memory_bytes)


def stage_memory(like: Like, flying: tuple[int, ...]) -> StageMemory:
    """The terms of a stage with so many micro batches in flight on its virtual stages."""
    layers = sum(like.layers)
    activations = sum(batches * kept for batches, kept in zip(flying, like.kept, strict=True))
    communication, workspace, held = _passing(like, activations, sum(flying))
    return StageMemory(
        weights=like.weights,
        gradients=like.gradients,
        master_and_moments=like.master_and_moments,
        activations=activations,
        logits=like.logits,
        communication=communication,
        workspace=workspace,
        fragmentation=fragmentation(held + activations + like.logits + communication + workspace),
        context=like.context,
        layers=layers,
        in_flight=sum(batches * held for batches, held in zip(flying, like.layers, strict=True)) / layers,
    )


def stage_bytes(like: Like, activations: int, flying: int) -> int:
    """The total of a stage that keeps so many bytes of activations, of `flying` micro batches on all virtual stages."""
    communication, workspace, held = _passing(like, activations, flying)
    allocated = held + activations + like.logits + communication + workspace
    return allocated + fragmentation(allocated) + like.context


def _passing(like: Like, activations: int, flying: int) -> tuple[int, int, int]:
    """Buffers of exchanges, what a backward pass needs beyond what has been given free by then, and what lasts."""
    communication = like.communication + like.communication_each * flying
    workspace = max(like.workspace, like.ending - activations - like.logits)
    return communication, workspace, like.weights + like.gradients + like.master_and_moments


def like_of(setting: Setting, stage: Stage) -> Like:
    """What does not depend on how many micro batches are in flight; the setting's own table of layers is not read."""
    held, sharing, layers = stage_parameters(setting, stage), sharing_of(setting), layers_of(rank_of(setting))
    logits, (between, each) = ends.logit_bytes(setting, stage), stage_traffic(setting, stage)
    widest = _widest(layers, stage) + passing_gradients(setting, stage)
    return Like(
        weights=weight_bytes(setting, held, sharing),
        gradients=gradient_bytes(setting, held, sharing),
        master_and_moments=optimizer_bytes(setting, held, sharing),
        kept=_kept(setting, layers, stage),
        logits=logits,
        workspace=max(0, widest - logits) + spare_bytes(setting, stage),
        ending=ending_bytes(setting, stage),
        communication=copy_traffic(setting, stage) + between,
        communication_each=each,
        layers=tuple(sum(chunk.layers) for chunk in stage.chunks),
        context=context_bytes(setting),
    )


def _kept(setting: Setting, layers: tuple[Layer, Layer, Layer], stage: Stage) -> tuple[int, ...]:
    kept = [_chunk(layers, chunk) for chunk in stage.chunks]
    if stage.first:
        kept[0] += ends.first_bytes(rank_of(setting))
    if stage.last:
        kept[-1] += ends.last_bytes(rank_of(setting))
    return tuple(kept)


def _chunk(layers: tuple[Layer, Layer, Layer], chunk: Chunk) -> int:
    """Bytes that a virtual stage keeps of one micro batch."""
    total, gathering = 0, chunk.gathering
    for (full, selective, plain), layer in zip(chunk.dealt(), layers, strict=True):
        total += full * layer.full + selective * layer.selective + plain * layer.kept
        again = min(gathering, selective), min(max(0, gathering - selective), plain)
        gathering -= sum(again)
        total -= again[0] * layer.gathered_selective + again[1] * layer.gathered
    return total


def _widest(layers: tuple[Layer, Layer, Layer], stage: Stage) -> int:
    """What the widest layer's backward pass needs: what it has computed again, and gradients on their way."""
    widest = 0
    for chunk in stage.chunks:
        for (full, selective, plain), layer in zip(chunk.dealt(), layers, strict=True):
            if full or selective or plain:
                kept = layer.full if full else layer.selective if selective else layer.kept
                widest = max(widest, layer.kept - kept + layer.passing)
    return widest
