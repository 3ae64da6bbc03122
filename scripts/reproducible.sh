#!/usr/bin/env bash
# Makes the release of this commit in two clones in two folders, the second time with an empty build
# cache, another umask and another time zone, and compares SHA256SUMS. It takes minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -z "$(git status --porcelain)" ] || echo "reproducible: changes that are in no commit are left out" >&2
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
git clone -q . "$tmp/one"
umask 077
git clone -q "$tmp/one" "$tmp/another-folder"
(umask 022; make -s -C "$tmp/one" release)
GOCACHE=$tmp/cache TZ=Asia/Tokyo LC_ALL=C make -s -C "$tmp/another-folder" release
diff "$tmp/one/bin/release/SHA256SUMS" "$tmp/another-folder/bin/release/SHA256SUMS"
echo "reproducible: two clones of $(git -C "$tmp/one" rev-parse --short=12 HEAD) give the same release"
