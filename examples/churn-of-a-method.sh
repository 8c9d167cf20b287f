#!/bin/sh
# What one method of a running program allocates, with all that it calls: an endpoint, a job, a query.
. "$(dirname "$0")/programs/prepare.sh"

"$java" -XX:+EnableDynamicAgentLoading -cp $out/classes shop.Shop 60 &
shop=$!
trap 'kill $shop' EXIT
sleep 1

set -x
$ddm record $shop -d 3 --below shop.Shop.receipt -o $out/receipt.html
$ddm track $shop on
$ddm allocs $shop --mark here
sleep 1
$ddm allocs $shop --since here --by app --top 3
$ddm allocs $shop --below shop.Shop.order --by class --top 3
$ddm track $shop off
set +x
