#!/usr/bin/env python3
"""tests/jvm/run.py [--full] [--list] [PART OF A NAME ...]: the tests on real JVMs."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import harness  # noqa: E402  (the tests import it under this name too)

sys.exit(harness.main())
