#!/usr/bin/env bash
# Checks with govulncheck whether the code can reach known vulnerabilities. If the tool or the
# database is not available, nothing is checked: the last line, which is also in
# bin/vulncheck.log, says so, and the script fails only with STRICT=1. GOVULNDB is the address of
# the database, by default https://vuln.go.dev: a copy in a folder is file:///path/to/vulndb.
set -euo pipefail
cd "$(dirname "$0")/.."
tool=golang.org/x/vuln/cmd/govulncheck@v1.8.0
db=${GOVULNDB:-https://vuln.go.dev}
scanned="$*"
mkdir -p bin
said() {
	echo "vulncheck${scanned:+ ($scanned)}: $1" | tee -a bin/vulncheck.log
}
skip() {
	said "SKIPPED, nothing was checked: $1; run it where $db and the module proxy can be reached, or set GOVULNDB to a copy"
	exit "${STRICT:-0}"
}
if [[ $db == file://* && ! -f ${db#file://}/index/db.json ]]; then # an empty one would have no vulnerabilities
	said "FAILED: GOVULNDB=$db is no copy of the database: it has no index/db.json"
	exit 1
fi
out=$(go run "$tool" -version 2>&1) || skip "the tool is not available"
out=$(go run "$tool" -db "$db" "${@:-./...}" 2>&1) && { echo "$out"; said "no known vulnerability is reached, by $db"; exit 0; }
grep -qE 'fetching vulnerabilities|no such host|connection refused|i/o timeout' <<<"$out" && skip "the database cannot be read"
echo "$out"
said "FAILED"
exit 1
