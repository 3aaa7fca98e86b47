"""What a run's time went into, what share of it was worth something, and what a plan can expect."""

from l3_modeltools.resilience.accounts.account import Accounts, account
from l3_modeltools.resilience.accounts.definitions import (
    Figure,
    ettr,
    goodput,
    published_figures,
    window_ettr,
)
from l3_modeltools.resilience.accounts.expect import Expected, FaultPlan, expect, first_order_ettr
from l3_modeltools.resilience.accounts.paint import CATEGORIES, Category, Interval
from l3_modeltools.resilience.accounts.reach import Reach, best_interval, reach
from l3_modeltools.resilience.accounts.replay import Estimate, Replay, Setting, replay_faults
from l3_modeltools.resilience.accounts.simulate import simulate_ettr
from l3_modeltools.resilience.accounts.table import FaultTable, llama3_table, scaled_mtbf_s

__all__ = [
    "CATEGORIES",
    "Accounts",
    "Category",
    "Estimate",
    "Expected",
    "FaultPlan",
    "FaultTable",
    "Figure",
    "Interval",
    "Reach",
    "Replay",
    "Setting",
    "account",
    "best_interval",
    "ettr",
    "expect",
    "first_order_ettr",
    "goodput",
    "llama3_table",
    "published_figures",
    "reach",
    "replay_faults",
    "scaled_mtbf_s",
    "simulate_ettr",
    "window_ettr",
]
