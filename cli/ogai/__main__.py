"""Lets `python -m ogai` be `ogai`."""

import sys

from ogai.main import main

sys.exit(main())
