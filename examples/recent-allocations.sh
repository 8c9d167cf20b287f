#!/bin/sh
# A program that looks at its own recent allocations every 10 seconds, without stopping.
# Arguments: seconds between two looks (10), number of looks (3).
. "$(dirname "$0")/programs/prepare-client.sh"

set -x
"$java" -agentpath:"$agent" -cp "$jar:$out/client" client.RecentAllocations "${1:-10}" "${2:-3}"
