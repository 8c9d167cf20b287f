#!/bin/sh
# A program with a chunk type of its own: asked with `ddm send`, and telling of itself unasked.
. "$(dirname "$0")/programs/prepare-client.sh"

"$java" -agentpath:"$agent" -cp "$jar:$out/client" client.OwnChunk 6 &
pid=$!
sleep 2

set -x
# The sales so far and the name, in hex: the tool does not know our type.
"$ddm" send $pid SHOP
# Three seconds of what the program says by itself.
"$ddm" send $pid SHOP --listen 3
set +x

wait $pid
"$java" -cp "$jar:$out/client" client.OwnChunk 1 && echo "without the agent the same program runs as ever"
