#!/usr/bin/env bash
# Builds the tree twice, in two folders, the second time with an empty build cache,
# and compares the binaries. It takes minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(git describe --tags --always --dirty 2>/dev/null || echo dev)
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
mkdir "$tmp/one" "$tmp/another-folder"
git ls-files -z | tar --null -T - -cf "$tmp/tree.tar"
for dir in one another-folder; do tar -xf "$tmp/tree.tar" -C "$tmp/$dir"; done
make -s -C "$tmp/one" build VERSION="$version"
GOCACHE=$tmp/cache make -s -C "$tmp/another-folder" build VERSION="$version"
(cd "$tmp" && sha256sum one/bin/mkt another-folder/bin/mkt && cmp one/bin/mkt another-folder/bin/mkt)
echo "reproducible: two builds of $version give the same bytes"
