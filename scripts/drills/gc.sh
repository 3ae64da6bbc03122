#!/bin/bash
# P9: readers read all pages while every publication deletes everything that is not
# needed any more.
#
#   scripts/drills/gc.sh [DURATION] [READERS]  default 10m and 1000
cd "$(dirname "$0")/../.." && go test ./cmd/mkt -run TestCollectingUnderReaders -gc-for "${1:-10m}" -gc-readers "${2:-1000}" -timeout 30m -count=1 -v
