#!/bin/sh
# A program that is slow and uses no CPU: where its threads wait, for whom, and how long.
. "$(dirname "$0")/programs/prepare.sh"

"$java" -XX:+EnableDynamicAgentLoading -cp $out/classes shop.Queue 60 &
queue=$!
trap 'kill $queue' EXIT
sleep 1

set -x
$ddm record $queue -d 3 --wall --locks -o $out/latency.html
$ddm attach $queue monitor=y
sleep 1
$ddm locks $queue
set +x
