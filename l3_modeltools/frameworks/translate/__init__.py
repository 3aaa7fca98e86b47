"""One strategy document, every framework's own configuration: both ways, with a report of what is lost."""

from l3_modeltools.frameworks.translate.face import Exported, Imported, Loss
from l3_modeltools.frameworks.translate.tables import TABLES, export_strategy, import_strategy, recognise

__all__ = ["TABLES", "Exported", "Imported", "Loss", "export_strategy", "import_strategy", "recognise"]
