#!/bin/bash
# P3 on a real file system of half a megabyte that fills up: a run without enough space
# publishes nothing, and succeeds once there is space again. It mounts a tmpfs and
# therefore needs root.
cd "$(dirname "$0")/../.." && go test ./publish -run TestRealDiskThatIsFull -count=1 -v
