#!/bin/sh
# Writes what a program allocated last, when it ends: as a flame graph and as text.
. "$(dirname "$0")/programs/prepare.sh"

set -x
"$java" -agentpath:"$agent"=dump=$out/on-exit.html,dump=$out/on-exit.txt -cp $out/classes shop.Shop 3
set +x

sed '/^Top .* by count/Q' $out/on-exit.txt
echo "flame graph: file://$PWD/$out/on-exit.html"
