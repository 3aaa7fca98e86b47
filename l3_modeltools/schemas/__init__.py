"""The documents this layer owns: a training as wished, its cut, its model and data, its run and faults."""

from l3_modeltools.schemas.architecture import (
    Alibi,
    Architecture,
    Experts,
    GroupedAttention,
    LatentAttention,
    LearnedPositions,
    Llama3Scaling,
    Mlp,
    Rope,
    YarnScaling,
)
from l3_modeltools.schemas.calibration import Calibration, Fitted
from l3_modeltools.schemas.checkpoint import Checkpoint
from l3_modeltools.schemas.corpus import (
    BytePairs,
    Corpus,
    Deduplication,
    HuggingFaceTokenizer,
    JsonLines,
    MegatronFiles,
    NearDuplicates,
    Parquet,
    PythonStdlib,
    Quality,
    Source,
    TextFiles,
    source_name,
)
from l3_modeltools.schemas.cut import balanced_offset, batch_faults, cut_faults, layers_by_stage
from l3_modeltools.schemas.dataset import Dataset, DataShard, DataSource, Dropped, Tokenizer
from l3_modeltools.schemas.error_catalogue import ErrorCatalogue, KnownError, Standing
from l3_modeltools.schemas.expected import Expected
from l3_modeltools.schemas.fault import Evidence, FaultAction, FaultClass, Section, Suspect, TrainingFault
from l3_modeltools.schemas.hashed_file import HashedFile, manifest_faults
from l3_modeltools.schemas.machine import Machine, Network
from l3_modeltools.schemas.notification import Notification
from l3_modeltools.schemas.objective import Dpo, Pretrain, Sft
from l3_modeltools.schemas.optimizer import Constant, Cosine, Optimizer, WarmupStableDecay
from l3_modeltools.schemas.practice import Kept, Practice
from l3_modeltools.schemas.resilience import Checkpointing, Resilience
from l3_modeltools.schemas.run import Figures, Run, RunState, SavedCheckpoint, SkippedSteps
from l3_modeltools.schemas.strategy import Degrees, Pipeline, Recompute, Strategy, Workload
from l3_modeltools.schemas.train import Compute, Framework, Train, TrainerCommand, Validation
from l3_modeltools.schemas.trained_model import ConfigFile, Lora, Preset, TrainedModel
from l3_modeltools.schemas.training_data import MixturePart, TrainingData

__all__ = [
    "Alibi",
    "Architecture",
    "BytePairs",
    "Calibration",
    "Checkpoint",
    "Checkpointing",
    "Compute",
    "ConfigFile",
    "Constant",
    "Corpus",
    "Cosine",
    "DataShard",
    "DataSource",
    "Dataset",
    "Deduplication",
    "Degrees",
    "Dpo",
    "Dropped",
    "ErrorCatalogue",
    "Evidence",
    "Expected",
    "Experts",
    "FaultAction",
    "FaultClass",
    "Figures",
    "Fitted",
    "Framework",
    "GroupedAttention",
    "HashedFile",
    "HuggingFaceTokenizer",
    "JsonLines",
    "Kept",
    "KnownError",
    "LatentAttention",
    "LearnedPositions",
    "Llama3Scaling",
    "Lora",
    "Machine",
    "MegatronFiles",
    "MixturePart",
    "Mlp",
    "NearDuplicates",
    "Network",
    "Notification",
    "Optimizer",
    "Parquet",
    "Pipeline",
    "Practice",
    "Preset",
    "Pretrain",
    "PythonStdlib",
    "Quality",
    "Recompute",
    "Resilience",
    "Rope",
    "Run",
    "RunState",
    "SavedCheckpoint",
    "Section",
    "Sft",
    "SkippedSteps",
    "Source",
    "Standing",
    "Strategy",
    "Suspect",
    "TextFiles",
    "Tokenizer",
    "Train",
    "TrainedModel",
    "TrainerCommand",
    "TrainingData",
    "TrainingFault",
    "Validation",
    "WarmupStableDecay",
    "Workload",
    "YarnScaling",
    "balanced_offset",
    "batch_faults",
    "cut_faults",
    "layers_by_stage",
    "manifest_faults",
    "source_name",
]
