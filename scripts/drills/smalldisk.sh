#!/bin/bash
# P3 on a real file system of half a megabyte that fills up: a run that does not fit
# leaves nothing visible, and does its work when there is room again. It mounts a
# tmpfs, which takes root.
cd "$(dirname "$0")/../.." && go test ./publish -run TestRealDiskThatIsFull -count=1 -v
