#!/usr/bin/env bash
# Prints the version that files of this commit are named by. RELEASE is the newest in CHANGELOG.md.
#   RELEASE                              the commit has the tag vRELEASE, and the tree no changes
#   RELEASE~TIME.COMMIT                  a commit before that tag: packages sort it before RELEASE
#   RELEASE+TIME.COMMIT                  a commit after it
#   …dirty                               with changes that are in no commit
# It fails if the commit has another tag v*, or if it has that tag and the tree has changes.
set -euo pipefail
release=$1
commit=$(git rev-parse --short=12 HEAD)
tags=$(git tag --points-at HEAD --list 'v*')
dirty=$([ -z "$(git status --porcelain)" ] || echo .dirty)
fail() { echo "release: $*" >&2; exit 1; }
for tag in $tags; do
	[ "$tag" = "v$release" ] || fail "commit $commit has the tag $tag, and the program says $release (cmd/mkt/internal/cli/version.go, CHANGELOG.md)"
	[ -z "$dirty" ] || fail "commit $commit has the tag $tag, and the tree has changes that are in no commit: git status"
done
if [ -n "$tags" ]; then echo "$release"; exit; fi
order='~'
if git merge-base --is-ancestor "refs/tags/v$release" HEAD 2>/dev/null; then order=+; fi
echo "$release$order$(TZ=UTC git log -1 --date=format-local:%Y%m%d%H%M%S --format=%cd).$commit$dirty"
