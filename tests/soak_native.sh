#!/bin/sh
# tests/soak_native.sh [SECONDS] [WORD]...: real programs under native=64, where every block or so is
# sampled, on every JDK, SECONDS of each in turns of half a minute (default 600). A WORD chooses
# programs by name. Prints what ran, how long, and how often it ended as it should not.
#
# Programs: javac (in process, again and again), maps (ConcurrentHashMap in four threads), h2, tomcat
# (under ab). Those that are not installed are left out.
exec python3 "$(dirname "$0")/support/soak_native.py" "$@"
