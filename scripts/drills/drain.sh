#!/bin/bash
# S2: SIGTERM to the real binary with 1,000 slow requests and 200 sockets. None
# fails, and it exits with 0 within 30 seconds.
here=$(cd "$(dirname "$0")/../.." && pwd)
bin=${MKT:-$here/bin/mkt}
[ -x "$bin" ] || { echo "no $bin: run make build" >&2; exit 2; }
cd "$here" && MKT_BINARY=$bin go test ./serve -run TestDrainOfTheBinary -count=1 -v
