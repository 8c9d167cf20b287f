#!/bin/sh
# Kills a program with SIGKILL while it works, and shows its whole run up to its last moment.
. "$(dirname "$0")/programs/prepare.sh"
ddm=build/release/bin/ddm

set -x
"$java" -agentpath:"$agent"=track=y,ring=survives-%p.ring -cp $out/classes shop.Shop 60 &
set +x
ring=survives-$!.ring

sleep 2
set -x
$ddm recover $ring           # it still runs
kill -KILL $!
set +x
wait $! || true
set -x
$ddm recover $ring -o $out/survives.txt
$ddm recover $ring -o $out/survives.html
set +x

sed '/^Top .* by count/Q' $out/survives.txt
echo "flame graph: file://$PWD/$out/survives.html"
# Nobody needs the file any more.
rm -f "${XDG_RUNTIME_DIR:-/nowhere}/ddm-rings/$ring" "/dev/shm/ddm-$(id -u)/$ring"
