#!/bin/sh
# A program with processes, files and a /proc of its own, as in a container; the commands are the same.
# Needs root, or user namespaces that anybody may make.
. "$(dirname "$0")/programs/prepare.sh"

unshare --user --map-root-user --pid --fork --mount-proc --kill-child \
    "$java" -XX:+EnableDynamicAgentLoading -cp $out/classes shop.Shop 60 &
container=$!
trap 'kill -KILL $container' EXIT  # unshare --fork ignores SIGTERM
sleep 2

set -x
$ddm record shop.Shop -d 2 -o $out/container.html
$ddm ps
$ddm allocs shop.Shop --by app --top 3
set +x
