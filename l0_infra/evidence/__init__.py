"""What nodes said, kept: support bundles written, and read again whoever gathered them."""

from l0_infra.evidence.probe import facts_of, probe_evidence
from l0_infra.evidence.read import read_bundle
from l0_infra.evidence.redact import redact
from l0_infra.evidence.said import NodeEvidence, UnusedFile
from l0_infra.evidence.write import render_bundle, save_bundle

__all__ = [
    "NodeEvidence",
    "UnusedFile",
    "facts_of",
    "probe_evidence",
    "read_bundle",
    "redact",
    "render_bundle",
    "save_bundle",
]
