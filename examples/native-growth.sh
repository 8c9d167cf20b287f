#!/bin/sh
# A program whose process grows while its Java heap does not: who asks malloc for memory and keeps it,
# by native and Java stack, and the difference between two moments.
. "$(dirname "$0")/programs/prepare.sh"

"$java" -XX:+EnableDynamicAgentLoading -Xmx64m -cp $out/classes shop.Archive 60 &
archive=$!
trap 'kill $archive' EXIT
sleep 1

set -x
$ddm attach $archive
$ddm native $archive on
sleep 2
$ddm native $archive --mark first
sleep 3
$ddm native $archive --since first --top 1
$ddm native $archive -o $out/native.html
$ddm native $archive off
set +x
