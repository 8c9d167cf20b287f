#!/bin/sh
# Counts, times and shows calls of methods while a program runs, and leaves it as it was.
. "$(dirname "$0")/programs/prepare.sh"

rm -f $out/probe.socket
"$java" -agentpath:"$agent"=address=unix:$PWD/$out/probe.socket,dump=none -cp $out/classes shop.Shop 8 &
sleep 2

set -x
$ddm probe unix:$PWD/$out/probe.socket 'shop.Shop.*' --time --for 1s
$ddm probe unix:$PWD/$out/probe.socket shop.Shop.receipt --args --return --stack --limit 2 --for 1s
$ddm probe unix:$PWD/$out/probe.socket 'shop.Shop$Item.<init>' --when 'arg2 > 9900' --args --limit 5 --for 1s
set +x
wait $!
