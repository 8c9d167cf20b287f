#!/bin/sh
# Rewrites the report every second while the program runs. A reader never sees half a file.
. "$(dirname "$0")/programs/prepare.sh"

rm -f $out/every.*
set -x
"$java" -agentpath:"$agent"=dump=$out/every.html,dump=$out/every.txt,every=1 -cp $out/classes shop.Shop 4 &
set +x

while kill -0 $! 2>/dev/null; do
    sleep 1
    [ -f $out/every.txt ] && grep -E '^(written|seen|recorded)' $out/every.txt
done
wait $!
echo "flame graph: file://$PWD/$out/every.html"
