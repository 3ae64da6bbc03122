#!/usr/bin/env bash
# Runs every fuzz target of the module, one after the other, for a given time each.
#   scripts/fuzz.sh [TIME] [PATTERN]     30s by default; PATTERN selects targets, "reader.*Chunk"
# A failing input is stored in testdata/fuzz of its package. With KEEP=n the n
# smallest inputs that reached new code are stored there as well.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-30s} pattern=${2:-.} keep=${KEEP:-0} failed=0
cache=$(go env GOCACHE)/fuzz
while IFS=: read -r file line; do
	package=./$(dirname "$file") target=$(sed -E 's/func (Fuzz[A-Za-z0-9_]*).*/\1/' <<<"$line")
	grep -qE "$pattern" <<<"$package $target" || continue
	echo "== $package $target"
	out=$(go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 1s -parallel "${PARALLEL:-1}" "$package" 2>&1) || { failed=$((failed + 1)); echo "$out" | tail -40; continue; }
	grep -E '^fuzz: elapsed' <<<"$out" | tail -1
	found=$cache/$(go list "$package")/$target
	if [ "$keep" -gt 0 ] && [ -d "$found" ]; then
		mkdir -p "$package/testdata/fuzz/$target"
		find "$found" -type f -size -4k -printf '%s %p\n' | sort -n | awk -v n="$keep" 'NR <= n' | cut -d' ' -f2- | while read -r f; do cp -n "$f" "$package/testdata/fuzz/$target/"; done
	fi
done < <(git grep -E '^func Fuzz[A-Za-z0-9_]*\(f \*testing\.F\)' -- '*_test.go' | sort -u)
echo "fuzz: $failed failed"
exit $((failed > 0))
