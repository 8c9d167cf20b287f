#!/bin/sh
# A program that leaks: what grows, who holds it, and who allocated it. It runs without the agent at
# first; the commands load it. Argument: seconds to watch (10).
. "$(dirname "$0")/programs/prepare.sh"

"$java" -XX:+EnableDynamicAgentLoading -Xmx256m -cp $out/classes shop.Leak &
leaking=$!
trap 'kill $leaking' EXIT
sleep 1

set -x
$ddm leaks $leaking --for "${1:-10}"
$ddm paths $leaking 'shop.Leak$Session'
set +x
