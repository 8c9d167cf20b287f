#!/bin/sh
# Looks into a running program with DYPER documents: who it is, where it is hot, what its stacks are.
. "$(dirname "$0")/programs/prepare.sh"

"$java" -agentpath:"$agent"=dyper=listen:127.0.0.1:0 -cp $out/classes shop.Hot 60 &
hot=$!
trap 'kill $hot 2>/dev/null' EXIT
until $ddm dyper $hot "<DYPER COMMAND='PING' />" 2>/dev/null; do
    kill -0 $hot
    sleep 0.1
done

$ddm dyper $hot "<DYPER COMMAND='SET'><VAR NAME='MONITOR' VALUE='true' /></DYPER>" > /dev/null
sleep 3
echo "where it is hot:"
$ddm dyper $hot "<DYPER COMMAND='REPORT' />" | grep "ITEM NAME='shop.Hot" | sort -t"'" -k6nr | head -5
echo "the main thread:"
$ddm dyper $hot "<DYPER COMMAND='SHOWSTACK' />" | sed -n "/NAME='main'/,/<\/THREAD>/p"
