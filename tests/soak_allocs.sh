#!/bin/sh
# tests/soak_allocs.sh [SECONDS] [WORD]...: `ddm allocs` once a second against four threads that do
# nothing but `new`, and against Tomcat under ab, on every JDK, SECONDS of each (default 1800) in
# turns of half a minute, with engine=bci and engine=vm in turn. A WORD chooses: threads, tomcat, 17,
# 25, ... Fails when a report has fewer than 60,000 records although the ring has been full. Prints
# how many reports there were, and the least records of one.
exec python3 "$(dirname "$0")/support/soak_allocs.py" "$@"
