"""`python -m infra.cli`, for a checkout whose console script is not installed."""

import sys

from infra.cli import main

sys.exit(main())
