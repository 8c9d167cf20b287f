#!/bin/sh
# Loads the agent into a program that runs already, stops recording after a while, and reads the
# report at the program's end.
. "$(dirname "$0")/programs/prepare.sh"

"$java" -cp $out/classes shop.Shop 6 &
pid=$!
sleep 1

# The inner quotes are jcmd's: without them it would take track=y for an option of its own.
# engine=vm leaves the classes of the running program alone, and sees every allocation from then on:
# the agent closes the allocation buffers that threads have open when the recording begins.
# The report's path must be absolute: the program may run in another directory.
# From Java 21 on the program prints a warning that an agent was loaded; starting it with
# -XX:+EnableDynamicAgentLoading says that this is wanted.
set -x
"$jcmd" $pid JVMTI.agent_load "$agent" "\"track=y,engine=vm,dump=$PWD/$out/attached.html,dump=$PWD/$out/attached.txt\""
sleep 2
"$jcmd" $pid JVMTI.agent_load "$agent" '"track=n"'
set +x

wait $pid
sed '/^Top .* by count/Q' $out/attached.txt
echo "flame graph: file://$PWD/$out/attached.html"
