#!/bin/sh
# tests/soak.sh [SECONDS] [COLLECTOR]...: javac, H2, classes that come and go, garbage and code of
# every kind, all at once in one VM, while tracking goes on and off and every stack is compared with
# the VM's own; on every JDK and each collector (or those named: serial parallel g1 zgc shenandoah),
# SECONDS of each in turns of half a minute (default 180: half an hour in all). Prints what ran, how
# often it ended as it should not, and stacks that differed.
exec python3 "$(dirname "$0")/support/soak.py" "$@"
