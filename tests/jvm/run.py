#!/usr/bin/env python3
"""tests/jvm/run.py [--full] [--list] [PART OF A NAME ...]: the tests on real JVMs."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support")]

import harness  # noqa: E402  (the tests import it under this name too)

sys.exit(harness.main())
