"""Writes `sieve.sh` anew from the catalogue."""

from pathlib import Path

from l0_infra.facts.kernel_log.sieve import render_sieve

if __name__ == "__main__":
    Path(__file__).with_name("sieve.sh").write_text(render_sieve(), "utf-8")
