"""What is known of clusters on this machine: where each is kept, which is current, its secrets, what checks found."""

from l1_podsys.state.current import current_name, forget_current, known_names, make_current
from l1_podsys.state.hold import Holder
from l1_podsys.state.known_health import KnownHealth, KnownVerdict, health_with
from l1_podsys.state.place import ClusterPlace, place_in
from l1_podsys.state.secrets import ensure_secrets

__all__ = [
    "ClusterPlace",
    "Holder",
    "KnownHealth",
    "KnownVerdict",
    "current_name",
    "ensure_secrets",
    "forget_current",
    "health_with",
    "known_names",
    "make_current",
    "place_in",
]
