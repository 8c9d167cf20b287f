#!/bin/sh
# The agent in a pod that runs already and was started without it: a container beside the JVM's, in the
# same process namespace. `ddm` copies the library to where the JVM can load it, and takes the copy
# away again.
#
#   ./ephemeral-container.sh POD CONTAINER [COMMAND...]      ps --all, unless told otherwise
#
#   ./ephemeral-container.sh shop-7d5b app record shop -d 30 -o -
#
# The JVM's container needs one place that is neither read-only nor mounted noexec: /tmp, /dev/shm,
# /var/tmp or /run. Where there is none, see init-container.yaml.
set -eu
if [ $# -lt 2 ]; then
  echo "usage: $0 POD CONTAINER [COMMAND...]" >&2
  exit 2
fi
pod=$1 container=$2
shift 2
[ $# -gt 0 ] || set -- ps --all
# The profile gives the right to look at other users' processes.
exec "${KUBECTL:-kubectl}" debug "$pod" --target="$container" --image="${DDM_IMAGE:-ddmagent}" \
  --profile=general --quiet --attach -- ddm "$@"
