#!/bin/bash
# S2: SIGTERM to the real binary while 1,000 slow requests and 200 sockets are open. No
# request fails, and the process exits with code 0 within 30 seconds.
here=$(cd "$(dirname "$0")/../.." && pwd)
bin=${MKT:-$here/bin/mkt}
[ -x "$bin" ] || { echo "no $bin: run make build" >&2; exit 2; }
cd "$here" && MKT_BINARY=$bin go test ./serve -run TestDrainOfTheBinary -count=1 -v
