#!/bin/bash
# P3 on a real file system of half a megabyte that fills up: a run that does not fit
# leaves nothing visible, and does its work when there is room again. It mounts a
# tmpfs, which takes root.
here=$(cd "$(dirname "$0")/../.." && pwd)
at=$(mktemp -d)
if ! mount -t tmpfs -o size=500k tmpfs "$at" 2> /dev/null; then
  rmdir "$at"
  echo "skipped: no file system can be mounted here"
  exit 0
fi
trap 'umount "$at"; rmdir "$at"' EXIT
cd "$here" && go test ./publish -run TestRealDiskThatIsFull -small-disk "$at" -count=1 -v
