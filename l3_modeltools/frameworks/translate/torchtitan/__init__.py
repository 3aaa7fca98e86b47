"""torchtitan: dataclass names on its command line, and the TOML of releases before March 2026."""

from l3_modeltools.frameworks.translate.torchtitan.table import OLDER_TORCHTITAN, TORCHTITAN

__all__ = ["OLDER_TORCHTITAN", "TORCHTITAN"]
