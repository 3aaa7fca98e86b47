"""The guard of the rules in ARCHITECTURE.md: from imports and names to what breaks a rule."""

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

LAYERS = ("l0_infra", "l1_podsys", "l2_scheduler", "l3_modeltools", "l4_multimodel", "ogai")
CORE = "l0_infra.core"
CORE_FACES = tuple(f"{CORE}.{name}" for name in ("documents", "errors", "exec", "nodeset", "store", "units"))
SHIM = "l2_scheduler.local.shim"
SUPERVISOR = "l3_modeltools.resilience.supervisor"
"""It lives as long as its run and starts in an instant, beside the accelerators' memory, not in it."""

TOO_HEAVY_TO_SUPERVISE = frozenset(
    {"jinja2", "jsonschema", "numpy", "rich", "safetensors", "torch", "transformers", "yaml"}
)
INNER_FACES = "l3_modeltools"
"""The layer whose packages know each other by their faces only."""

HEAVY = frozenset(
    {
        "ansible_runner",
        "jinja2",
        "jsonschema",
        "matplotlib",
        "paramiko",
        "rich",
        "torch",
        "transformers",
        "yaml",
    }
)
ONE_MODULE_ONLY = ("ansible_runner", "matplotlib", "paramiko")
FOREIGN_NOUNS: Mapping[str, frozenset[str]] = {
    "l0_infra": frozenset({"job", "checkpoint", "dataset", "trainer"}),
    "l1_podsys": frozenset({"job", "checkpoint", "dataset", "trainer"}),
    "l2_scheduler": frozenset({"model", "checkpoint", "dataset", "trainer", "epoch", "endpoint"}),
    "l3_modeltools": frozenset({"endpoint", "gateway", "canary"}),
}


@dataclass(frozen=True, kw_only=True)
class Import:
    """One imported module as written; `names` are what `from … import` takes from it."""

    module: str
    names: tuple[str, ...]
    line: int
    eager: bool

    @property
    def top(self) -> str:
        return self.module.partition(".")[0]


@dataclass(frozen=True)
class Module:
    """One source file under its dotted name."""

    name: str
    is_package: bool
    tree: ast.Module

    @property
    def layer(self) -> str:
        return self.name.partition(".")[0]

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        eager = set(_eager_nodes(self.tree))
        return tuple(
            found
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for found in self._read(node, node in eager)
        )

    def _read(self, node: ast.Import | ast.ImportFrom, eager: bool) -> Iterator[Import]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(module=alias.name, names=(), line=node.lineno, eager=eager)
            return
        module = node.module or ""
        if node.level:
            parts = self.name.split(".") if self.is_package else self.name.split(".")[:-1]
            base = parts[: len(parts) - node.level + 1]
            module = ".".join([*base, module] if module else base)
        yield Import(
            module=module, names=tuple(alias.name for alias in node.names), line=node.lineno, eager=eager
        )


class Tree:
    """All modules of the packages that lie in the given folders."""

    def __init__(self, *roots: Path) -> None:
        self.modules = {
            module.name: module
            for root in roots
            for layer in LAYERS
            for path in sorted((root / layer).rglob("*.py"))
            for module in [_module(path, root)]
        }

    def is_face(self, name: str) -> bool:
        """Say whether a name is a package, or what a package exports under the name of one of its modules."""
        package, _, last = name.rpartition(".")
        found = self.modules.get(name)
        if found is None or found.is_package:
            return True
        return package in self.modules and last in _exported(self.modules[package].tree)

    def targets(self, found: Import) -> Iterator[str]:
        """Yield the modules an import names: `from a import b` is `a.b` where that is a module of ours."""
        submodules = [f"{found.module}.{name}" for name in found.names]
        inside = [name for name in submodules if name in self.modules]
        yield from inside
        if len(inside) < len(submodules) or not submodules:
            yield found.module

    def loaded_by(self, start: Iterable[str]) -> Iterator[tuple[Module, Import]]:
        """Yield each import that runs as soon as the `start` modules are imported."""
        waiting, seen = list(start), set[str]()
        while waiting:
            name = waiting.pop()
            if name in seen or name not in self.modules:
                continue
            seen.add(name)
            waiting.append(name.rpartition(".")[0])
            for found in self.modules[name].imports:
                if found.eager:
                    yield self.modules[name], found
                    waiting.extend(self.targets(found))


def faults(tree: Tree) -> Iterator[str]:
    """Yield every breach of a rule, as `module:line: what`."""
    yield from _borders(tree)
    yield from _floor(tree)
    yield from _exports(tree)
    yield from _inner_faces(tree)
    yield from _weight(tree)
    yield from _supervisor(tree)
    yield from _shim(tree)
    yield from _nouns(tree)


def _borders(tree: Tree) -> Iterator[str]:
    """Imports go down, only documents cross between layers, and only faces are used from outside."""
    for module in tree.modules.values():
        for found in module.imports:
            if found.top not in LAYERS or found.top == module.layer:
                continue
            for target in tree.targets(found):
                if complaint := _complaint(module.layer, target):
                    yield f"{module.name}:{found.line}: {complaint}"


def _complaint(layer: str, target: str) -> str:
    owner = target.partition(".")[0]
    if LAYERS.index(owner) > LAYERS.index(layer):
        return f"imports upwards: {target}"
    if target in CORE_FACES or target == f"{owner}.schemas":
        return ""
    if target == owner:
        return "" if layer == "ogai" else f"code crosses: {target}; only its schemas may"
    return f"not a face: {target}"


def _floor(tree: Tree) -> Iterator[str]:
    """The core stands on nothing of ours, and schemas on schemas and the core."""
    for module in tree.modules.values():
        in_core = module.name == CORE or module.name.startswith(f"{CORE}.")
        in_schemas = f"{module.name}.".startswith(f"{module.layer}.schemas.")
        allowed = (CORE,) if in_core else (CORE, f"{module.layer}.schemas")
        rule = f"may stand on {' and '.join(allowed)}"
        for found in module.imports if in_core or in_schemas else ():
            for target in tree.targets(found):
                if found.top == module.layer and not any(f"{target}.".startswith(f"{a}.") for a in allowed):
                    yield f"{module.name}:{found.line}: stands on {target}; {rule}"


def _exports(tree: Tree) -> Iterator[str]:
    """`__all__` is sorted (constants, classes, the rest) and each of its names is there."""
    for module in tree.modules.values():
        exported, defined = _exported(module.tree), set(_top_level_names(module.tree))
        if exported != sorted(exported, key=_export_order):
            yield f"{module.name}: __all__ is not sorted"
        if "__getattr__" not in defined:
            yield from (
                f"{module.name}: __all__ names no such thing: {name}"
                for name in exported
                if name not in defined
            )


def _inner_faces(tree: Tree) -> Iterator[str]:
    """The packages within a layer use each other's faces, never a module behind one."""
    for module in tree.modules.values():
        for found in module.imports if module.layer == INNER_FACES else ():
            for target in tree.targets(found) if found.top == INNER_FACES else ():
                owner = ".".join(target.split(".")[:2])
                ours = f"{module.name}.".startswith(f"{owner}.")
                if not ours and not tree.is_face(target):
                    yield f"{module.name}:{found.line}: behind a face: {target}"


def _weight(tree: Tree) -> Iterator[str]:
    """Nothing heavy is loaded for a help text; what needs care is imported in one module."""
    commands = [name for name in tree.modules if name.startswith("ogai.commands.")]
    for module, found in tree.loaded_by(["ogai.main", "ogai.__main__", *commands]):
        if found.top in HEAVY:
            yield f"{module.name}:{found.line}: {found.top} is loaded for help already; import it late"
    for package in ONE_MODULE_ONLY:
        users = [m.name for m in tree.modules.values() if any(found.top == package for found in m.imports)]
        if len(users) > 1:
            yield f"{package} is imported by more than one module: {', '.join(sorted(users))}"


def _supervisor(tree: Tree) -> Iterator[str]:
    """What keeps a run's ranks loads nothing that makes it heavy."""
    inside = [name for name in tree.modules if f"{name}.".startswith(f"{SUPERVISOR}.")]
    for module, found in tree.loaded_by(inside):
        if found.top in TOO_HEAVY_TO_SUPERVISE:
            yield f"{module.name}:{found.line}: the supervisor would load {found.top}"


def _shim(tree: Tree) -> Iterator[str]:
    """The shim, and the packages it lies in, load the standard library only."""
    inside = [module for name, module in tree.modules.items() if f"{name}.".startswith(f"{SHIM}.")]
    own = {module.name.rpartition(".")[2] for module in inside}
    lazy = [(module, found) for module in inside for found in module.imports if not found.eager]
    for module, found in [*tree.loaded_by(module.name for module in inside), *lazy]:
        ours = f"{found.module}.".startswith(f"{SHIM}.") or found.module in own
        if not ours and found.top not in sys.stdlib_module_names:
            yield f"{module.name}:{found.line}: the shim would load {found.module}"


def _nouns(tree: Tree) -> Iterator[str]:
    """No layer names what belongs to a higher one."""
    for module in tree.modules.values():
        foreign = FOREIGN_NOUNS.get(module.layer, frozenset())
        for name, line in _named(module.tree):
            for noun in sorted(foreign & set(_words(name))):
                yield f"{module.name}:{line}: the noun `{noun}` in `{name}` belongs to a higher layer"


def _module(path: Path, root: Path) -> Module:
    parts = path.relative_to(root).with_suffix("").parts
    is_package = parts[-1] == "__init__"
    name = ".".join(parts[:-1] if is_package else parts)
    return Module(name, is_package, ast.parse(path.read_text(encoding="utf-8"), str(path)))


def _eager_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what runs when the module is imported: no function bodies, nothing under TYPE_CHECKING."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        yield child
        yield from _eager_nodes(child)


def _exported(tree: ast.Module) -> list[str]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []


def _export_order(name: str) -> tuple[int, str]:
    return (0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2, name)


def _top_level_names(tree: ast.Module) -> Iterator[str]:
    for node in _eager_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name


def _named(tree: ast.Module) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno


def _words(name: str) -> Iterator[str]:
    """Yield the words of an identifier in lower case, plural taken off: `maxJobs`, `max_jobs` → max, job."""
    for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name):
        yield word.lower().removesuffix("s")
