#!/bin/sh
# A baseline of what a program allocates, and two changes: one that allocates as before, and one that
# makes an array more in a helper. The second fails the gate, with the place.
. "$(dirname "$0")/programs/prepare.sh"

baseline=$out/allocations.txt
run() {
    name=$1
    shift
    "$java" -agentpath:"$agent"=track=y,engine=bci,address=none,dump=$out/"$name".sites.jsonl \
        -cp $out/classes shop.Invoices "$@"
}
rm -f $baseline
run before
run same
run more padded

set -x
$ddm gate $out/before.sites.jsonl --baseline $baseline --below shop.Invoices.write --update
$ddm gate $out/same.sites.jsonl --baseline $baseline --below shop.Invoices.write
$ddm gate $out/more.sites.jsonl --baseline $baseline --below shop.Invoices.write --annotations || echo "exit code $?"
