"""Record the cassettes of every scenario (or of those named) from the simulator."""

import os
import sys

from toolreplay.cli import main
from toolreplay.serve.http import serving

from . import Simulator

os.environ.setdefault("ANTHROPIC_API_KEY", "the-simulator-asks-for-none")
with serving(Simulator()) as url:
    sys.exit(main(["record", "--base-url", url, *(sys.argv[1:] or ["scenarios"])]))
