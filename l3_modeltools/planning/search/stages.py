"""How a stage holds its layers: recomputing no more of them than it must to fit, in the way that costs least."""

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from itertools import product

from l3_modeltools.planning.cost import Setting
from l3_modeltools.planning.cost.bytes import (
    Chunk,
    Like,
    Stage,
    in_flight,
    layers_of,
    like_of,
    rank_of,
    stage_bytes,
)
from l3_modeltools.planning.cost.bytes.ends import first_bytes, last_bytes
from l3_modeltools.planning.cost.bytes.traffic import passing_gradients
from l3_modeltools.planning.search.balance import Choice
from l3_modeltools.planning.search.problem import Problem
from l3_modeltools.planning.search.seconds import LayerSeconds, kinds_of
from l3_modeltools.planning.search.shapes import Shape, outline

__all__ = ["StageChooser"]

Counts = tuple[int, ...]
Kinds = tuple[int, int, int]
Fits = Callable[[Counts, Counts], bool]


class StageChooser:
    """Chooses for the stages of one shape; of several kinds of layers on virtual stages, the even table alone."""

    def __init__(
        self,
        problem: Problem,
        shape: Shape,
        work: Callable[[], LayerSeconds],
        shown: Callable[[], LayerSeconds],
        memory_bytes: int,
        likes: dict[object, Like],
        reach: int | None = None,
    ) -> None:
        self.shape, self.memory_bytes = shape, memory_bytes
        self._work, self._shown = work, shown
        self.setting: Setting = problem.setting(outline(problem, shape))
        self.kinds = kinds_of(problem.architecture)
        self.kind = max(range(3), key=lambda kind: self.kinds[kind])
        self.alike = sum(many > 0 for many in self.kinds) == 1
        """Whether all layers are of one kind, the one of most layers."""
        self.layers = problem.architecture.layers
        self.reach = self.layers if reach is None else min(reach, self.layers)
        """Layers that a stage has time and room for at most."""
        self.mode = problem.decided.recompute
        self.by_stage = problem.limits.recomputing == "by_stage"
        self.told_alike = self.mode is None and not self.by_stage
        self.same = 0
        """Layers that each virtual stage recomputes in full, where all do the same; -1: all selectively."""
        self.flying = in_flight(self.setting)
        self.buffers = problem.practice.kept.stage_buffers
        rank = rank_of(self.setting)
        self.per_layer = layers_of(rank)
        self.spared = [(one.kept - one.full, one.kept - one.selective) for one in self.per_layer]
        self.useful = any(
            many and partly > 0 for many, (_, partly) in zip(self.kinds, self.spared, strict=True)
        )
        """Whether selective recomputation spares anything."""
        self.first_bytes, self.last_bytes = first_bytes(rank), last_bytes(rank)
        self.known: dict[object, Choice | None] = {}
        self.needed: dict[object, int] = {}
        self.room: dict[object, int] = {}
        self.likes = likes
        """Of the same cut and ZeRO stage, whatever the schedule."""

    @cached_property
    def work(self) -> LayerSeconds:
        """Seconds of layers at work."""
        return self._work()

    @cached_property
    def shown(self) -> LayerSeconds:
        """Seconds of layers while others wait."""
        return self._shown()

    def choose(self, p: int, start: int, count: int) -> Choice | None:
        """The fastest way in which stage p can hold `count` layers, `start` being before it; None if none fits."""
        if not self.alike:
            return self.hold(p, (self.between(start, start + count),))
        key = (count, p == 0, p == self.shape.cut.pp - 1, self.flying[p], self.same)
        if key not in self.known:
            self.known[key] = self._fastest(p, self.sizes(p, count), ())
            if self.shape.vp > 1 and p == self.shape.cut.pp - 1:
                self.known[key] = _first_as_fast(
                    self._fastest(p, self.sizes(p, count, light_end=True), ()), self.known[key]
                )
        return self.known[key]

    def sizes(self, p: int, count: int, *, light_end: bool = False) -> Counts:
        """Layers of each virtual stage. More than the even share go where the fewest micro batches are kept.

        `light_end`: to the last one, which has the output, only when all others have them: no turn of the others is
        then longer than theirs, so that nobody is held up.
        """
        vp = self.shape.vp
        if vp == 1:
            return (count,)
        low = self.layers // (self.shape.cut.pp * vp)
        sizes = [low] * vp

        def after(v: int) -> tuple[bool, int, int]:
            return light_end and v == vp - 1, self.flying[p][v], -v

        for v in sorted(range(vp), key=after)[: count - low * vp]:
            sizes[v] += 1
        return tuple(sizes)

    def ahead(self, start: int) -> tuple[int, int]:
        """Dense layers after `start`, and layers before those for further prediction, as far as a stage reaches."""
        if self.alike:
            return 0, 0
        dense, end = self.kinds[0], self.kinds[0] + self.kinds[1]
        return max(0, dense - start), min(end - start, max(self.capacities))

    def between(self, start: int, end: int) -> Kinds:
        """Kinds of the layers from `start` to before `end`."""
        return _between(self.kinds, start, end)

    def hold(self, p: int, chunks: tuple[Kinds, ...]) -> Choice | None:
        """The fastest way to hold virtual stages of these layers."""
        key = (chunks, p == 0, p == self.shape.cut.pp - 1, self.flying[p], self.same)
        if key not in self.known:
            self.known[key] = self._fastest(p, tuple(map(sum, chunks)), chunks)
        return self.known[key]

    def _fastest(self, p: int, sizes: Counts, chunks: tuple[Kinds, ...]) -> Choice | None:
        found = [self._choice(p, sizes, chunks, *one) for one in self._fitting(p, sizes, chunks)]
        return min(found, key=lambda one: (one.seconds, one.shown), default=None)

    def _choice(
        self, p: int, sizes: Counts, chunks: tuple[Kinds, ...], full: Counts, selective: Counts
    ) -> Choice:
        table, last = self._dealt(sizes, chunks, full, selective), p == self.shape.cut.pp - 1
        seconds = self.work.stage(table, last=last)
        shown = seconds if self.shown is self.work else max(0.0, self.shown.stage(table, last=last))
        return Choice(seconds, shown, sizes, full, selective)

    def _dealt(
        self, sizes: Counts, chunks: tuple[Kinds, ...], full: Counts, selective: Counts
    ) -> tuple[tuple[int, int, int], ...]:
        """Layers of each kind that are recomputed in full, selectively and not at all."""
        dealt = [[0, 0, 0], [0, 0, 0], [0, 0, 0]]
        if not chunks:
            many, part = sum(full), sum(selective)
            dealt[self.kind] = [many, part, sum(sizes) - many - part]
        for kinds, whole, part in zip(chunks, full, selective, strict=False):
            for row, more in zip(dealt, _dealt(kinds, whole, part), strict=True):
                for mode, many in enumerate(more):
                    row[mode] += many
        return tuple((row[0], row[1], row[2]) for row in dealt)

    def _fitting(self, p: int, sizes: Counts, chunks: tuple[Kinds, ...]) -> Iterator[tuple[Counts, Counts]]:
        """Ways that fit, among them the fastest: for each number of layers in full, the fewest selective ones.

        A further layer that is recomputed never needs more memory: it spares of each micro batch in flight what its own
        backward pass then needs once.
        """
        flying = self.flying[p]

        def fits(full: Counts, selective: Counts) -> bool:
            if chunks:
                return self.bytes_of(chunks, p, full, selective, flying) <= self.memory_bytes
            return self.bytes_alike(sizes, p, full, selective, flying) <= self.memory_bytes

        if self.mode or not self.by_stage:
            one = self._told(sizes)
            known = self.told_alike and self.same > 0 and not chunks
            if self._enough(p, sizes, fits) if known else fits(*one):
                yield one
            return
        nothing, total = (0,) * len(sizes), sum(sizes)
        if fits(nothing, nothing):
            yield nothing, nothing
            return
        if not fits(sizes, nothing):
            return
        whole = bisect_left(
            range(total), True, 1, key=lambda many: fits(_filled(sizes, flying, many), nothing)
        )
        for many in range(whole if self.useful else 0):
            full = _filled(sizes, flying, many)
            left = tuple(size - taken for size, taken in zip(sizes, full, strict=True))
            part = bisect_left(
                range(total - many + 1), True, key=partial(self._partly_fits, fits, full, left, flying)
            )
            if part <= total - many:
                yield full, _filled(left, flying, part)
        yield _filled(sizes, flying, whole), nothing

    def _partly_fits(self, fits: Fits, full: Counts, left: Counts, flying: Counts, part: int) -> bool:
        return fits(full, _filled(left, flying, part))

    def _enough(self, p: int, sizes: Counts, fits: Fits) -> bool:
        """Whether a stage fits with `same` layers of virtual stages recomputed in full: the more, the less it keeps."""
        key = (sizes, p == 0, p == self.shape.cut.pp - 1, self.flying[p])
        if key not in self.needed:
            nothing, most = (0,) * len(sizes), max(sizes)
            self.needed[key] = bisect_left(
                range(most + 1),
                True,
                1,
                key=lambda same: fits(tuple(min(size, same) for size in sizes), nothing),
            )
            if self.needed[key] > most:
                self.needed[key] = self.layers + 1
        return self.same >= self.needed[key]

    def frontier(self) -> list[Choice]:
        """For a pipeline of one stage, every way that fits and recomputes no more than it must."""
        sizes, chunks = (self.layers,), () if self.alike else (self.kinds,)
        return [self._choice(0, sizes, chunks, *one) for one in self._fitting(0, sizes, chunks)]

    @cached_property
    def capacities(self) -> tuple[int, ...]:
        """Layers that each stage can hold at most, the lightest there are, as many recomputed as may be."""
        return tuple(self._capacity(p) for p in range(self.shape.cut.pp))

    def _capacity(self, p: int) -> int:
        """Layers of the most frequent kind that a stage can hold at most, as many recomputed as may be."""
        key = (p == 0, p == self.shape.cut.pp - 1, min(self.flying[p]))
        if key not in self.room:
            most = 0 if self.mode == "none" else self.layers

            def beyond(count: int) -> bool:
                full, flying = (min(count, most),), (key[2],)
                return all(
                    self.bytes_of((held,), p, full, (0,), flying) > self.memory_bytes
                    for held in self._runs(p, count)
                )

            self.room[key] = bisect_left(range(self.reach + 1), True, 1, key=beyond) - 1
        return self.room[key]

    def _runs(self, p: int, count: int) -> frozenset[Kinds]:
        """Kinds of so many layers that a stage can hold: those in a row, on virtual stages any that there are."""
        if self.alike or self.shape.vp > 1:
            return _mixes(self.kinds, count)
        if p == 0:
            return frozenset({_between(self.kinds, 0, count)})
        if p == self.shape.cut.pp - 1:
            return frozenset({_between(self.kinds, self.layers - count, self.layers)})
        return _windows(self.kinds, count)

    def least_bytes(self, same: int = -1) -> int:
        """Bytes that some stage needs at least, whatever the schedule; `same` as the attribute, -1 for any.

        One holds the even share of the most frequent layers or more, whatever the table; of the stages it is taken to
        be the lightest, and to hold no others.
        """
        pp, vp = self.shape.cut.pp, self.shape.vp
        most = 0 if self.mode == "none" else self.layers if same < 0 else same * vp
        if pp == 1 and not self.alike:
            return self.bytes_of((self.kinds,), 0, (self.layers,), (0,), (1,))
        share, middle = -(-self.layers // pp), 0 if pp == 1 else -1
        most = 0 if self.mode == "none" else share if same < 0 else same * vp
        full = (min(share, most),)
        if self.alike:
            return self.bytes_alike((share,), middle, full, (0,), (1,))
        return min(self.bytes_of((held,), middle, full, (0,), (1,)) for held in _mixes(self.kinds, share))

    def _told(self, sizes: Counts) -> tuple[Counts, Counts]:
        """What a person decided, or what all stages do alike."""
        nothing = (0,) * len(sizes)
        if self.mode == "full" or (self.mode is None and self.same > 0):
            return tuple(size if self.mode else min(size, self.same) for size in sizes), nothing
        if self.mode == "selective" or (self.mode is None and self.same < 0):
            return nothing, sizes
        return nothing, nothing

    def bytes_of(
        self, chunks: tuple[Kinds, ...], p: int, full: Counts, selective: Counts, flying: Counts
    ) -> int:
        """Bytes of the stage, as the whole account has them."""
        kept, widest, totals = [], 0, [0, 0, 0]
        for row in map(_dealt, chunks, full, selective):
            kept.append(0)
            for kind, (whole, part, plain) in enumerate(row):
                if whole or part or plain:
                    layer, spared = self.per_layer[kind], self.spared[kind]
                    kept[-1] += (whole + part + plain) * layer.kept - whole * spared[0] - part * spared[1]
                    again = spared[0] if whole else spared[1] if part else 0
                    widest, totals[kind] = (
                        max(widest, again + layer.passing),
                        totals[kind] + whole + part + plain,
                    )
        return self._total((totals[0], totals[1], totals[2]), p, kept, widest, flying)

    def bytes_alike(self, sizes: Counts, p: int, full: Counts, selective: Counts, flying: Counts) -> int:
        """The same where all layers are of one kind."""
        layer, (in_full, partly) = self.per_layer[self.kind], self.spared[self.kind]
        kept = [
            size * layer.kept - a * in_full - b * partly
            for size, a, b in zip(sizes, full, selective, strict=True)
        ]
        widest = layer.passing + (in_full if any(full) else partly if any(selective) else 0)
        return self._total(self._of_kind(sum(sizes)), p, kept, widest, flying)

    def _total(self, kinds: Kinds, p: int, kept: list[int], widest: int, flying: Counts) -> int:
        """Bytes of a stage with so many layers of each kind, whose virtual stages keep so much of a micro batch."""
        first, last = p == 0, p == self.shape.cut.pp - 1
        kept[0] += self.first_bytes * first
        kept[-1] += self.last_bytes * last
        apart = len(kept) if self.buffers else 1
        key = (kinds, apart, first, last, widest)
        if key not in self.likes:
            self.likes[key] = self._like(kinds, apart, first, last, widest)
        once = sum(many * size for many, size in zip(flying, kept, strict=True))
        return stage_bytes(self.likes[key], once, sum(flying))

    def _of_kind(self, many: int) -> Kinds:
        kind = self.kind
        return many * (kind == 0), many * (kind == 1), many * (kind == 2)

    def _like(self, kinds: Kinds, apart: int, first: bool, last: bool, widest: int) -> Like:
        """What holds whatever is recomputed, but that the widest layer's backward pass needs so much."""
        rest = Chunk((0, 0, 0), 0, 0, 0)
        stage = Stage((Chunk(kinds, 0, 0, 0), *(rest,) * (apart - 1)), first, last)
        like, leaving = like_of(self.setting, stage), passing_gradients(self.setting, stage)
        plain = max(layer.passing for layer, many in zip(self.per_layer, kinds, strict=True) if many)
        spare = like.workspace - max(0, plain + leaving - like.logits)
        return replace(like, workspace=max(0, widest + leaving - like.logits) + spare)


def _first_as_fast(one: Choice | None, other: Choice | None) -> Choice | None:
    """The first, unless the other takes less."""
    if one is None or other is None:
        return one or other
    return one if (one.seconds, one.shown) <= (other.seconds, other.shown) else other


def _between(kinds: Kinds, start: int, end: int) -> Kinds:
    dense, sparse = kinds[0], kinds[0] + kinds[1]
    return (
        max(0, min(end, dense) - start),
        max(0, min(end, sparse) - max(start, dense)),
        max(0, end - max(start, sparse)),
    )


@lru_cache(maxsize=4096)
def _windows(kinds: Kinds, count: int) -> frozenset[Kinds]:
    """Kinds of any so many layers in a row."""
    return frozenset(_between(kinds, start, start + count) for start in range(sum(kinds) - count + 1))


@lru_cache(maxsize=4096)
def _mixes(kinds: Kinds, count: int) -> frozenset[Kinds]:
    """Kinds of any so many layers of the model."""
    dense, sparse, further = kinds
    ends = product(range(min(dense, count) + 1), range(min(further, count) + 1))
    return frozenset((a, count - a - c, c) for a, c in ends if 0 <= count - a - c <= sparse)


@lru_cache(maxsize=65536)
def _dealt(kinds: Kinds, full: int, selective: int) -> tuple[tuple[int, int, int], ...]:
    """Layers of each kind of a virtual stage that are recomputed in full, selectively and not at all."""
    return Chunk(kinds, full, selective, 0).dealt()


@lru_cache(maxsize=65536)
def _filled(sizes: Counts, flying: Counts, many: int) -> Counts:
    """Deal layers to virtual stages, first to those that keep most micro batches."""
    taken = [0] * len(sizes)
    for v in sorted(range(len(sizes)), key=lambda v: (-flying[v], v)):
        taken[v] = min(sizes[v], many)
        many -= taken[v]
    return tuple(taken)
