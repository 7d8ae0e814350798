"""`python -m toolreplay.cli`, the same as `toolreplay`."""

import sys

from . import main

sys.exit(main())
