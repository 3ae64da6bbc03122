#!/bin/bash
# The long forms of the tests of an object store (C1 to C13 in docs/reliability.md): a quarter
# of an hour on two cores.
#
#   scripts/drills/store.sh [NAME OF A TEST]      default: all
set -euo pipefail
cd "$(dirname "$0")/../../cluster"
export MKT_CLUSTER_BINARY=${MKT:-$(cd .. && pwd)/bin/mkt}
[ -x "$MKT_CLUSTER_BINARY" ] || { echo "no $MKT_CLUSTER_BINARY: run make build" >&2; exit 2; }
go test ./storetest -count=1 -timeout 0 -v -run "${1:-.}"
