#!/usr/bin/env bash
# Builds the tree twice, the second time in another folder and from nothing that
# was compiled before, and compares the binaries. It takes minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
make build >/dev/null
other=$(mktemp -d)
trap 'chmod -R u+w "$other"; rm -rf "$other"' EXIT
mkdir "$other/tree"
git ls-files -z | tar --null -T - -cf - | tar -xf - -C "$other/tree"
GOCACHE=$other/cache make -s -C "$other/tree" build VERSION="${VERSION:-$(git describe --tags --always --dirty 2>/dev/null || echo dev)}" >/dev/null
sha256sum bin/mkt "$other/tree/bin/mkt" | sed "s|$other|<other>|"
cmp bin/mkt "$other/tree/bin/mkt" && echo "reproducible: the same bytes"
