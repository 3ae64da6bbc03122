#!/usr/bin/env bash
# Takes the pictures of docs/images again, from mkt demo in a real browser. Needs node, npm and
# Chromium, and takes about two minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
make testdata/node/node_modules
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
dir=$(mktemp -d)
go build -o "$dir/mkt" ./cmd/mkt
"$dir/mkt" demo --listen 127.0.0.1:0 --console 127.0.0.1:0 --dir "$dir/demo" --output json > "$dir/ready" 2> "$dir/errors" &
demo=$!
trap 'kill -INT $demo; wait $demo || true; rm -rf "$dir"' EXIT
until grep -q '"event":"ready"' "$dir/ready"; do
	kill -0 $demo || { cat "$dir/errors"; exit 1; }
	sleep 1
done
console=$(sed -n '1s/.*"console_url":"\([^"]*\)".*/\1/p' "$dir/ready")
sleep "${PRICES:-30}"

# The match result whose prices moved most.
market=$("$dir/mkt" diff --data "$dir/demo/data" --tenant main --product market_engine latest~5 latest --output json 2> "$dir/errors" |
	sed -n '/"odds_moved"/s/.*"fixture_id":"\([^"]*\)".*"market_id":"\([^"]*\)","market":"MATCH_RESULT","period":"FT".*/\1\/\2/p' |
	sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')

cat > "$dir/job" <<END
{"base": "$console", "shots": "$PWD/docs/images", "pages": [
 {"path": "/", "width": 1120, "height": 640, "picture": "overview"},
 {"path": "/fixtures/main/${market%/*}", "width": 1120, "height": 700, "picture": "fixture"},
 {"path": "/fixtures/main/$market", "width": 1120, "height": 760, "picture": "market"},
 {"path": "/live/main", "width": 1120, "height": 820, "picture": "match",
  "do": [["click", ".matches li:not(.stale):has(.balance):has(.minute:text-matches('^[5-8][0-9]')):not(:has(.score:text-is('0–0'))) a"], ["see", ".curves path"], ["pause", 30000]]},
 {"path": "/live/main", "width": 1120, "height": 820, "picture": "then",
  "do": [["click", ".matches li:not(.stale):has(.balance):has(.minute:text-matches('^[5-8][0-9]')):not(:has(.score:text-is('0–0'))) a"], ["see", ".curves path"], ["press", "form.moment input", "Home"], ["see", "#publication .warn"], ["pause", 2000]]},
 {"path": "/audit/second/market_engine", "width": 1120, "height": 640, "picture": "audit",
  "do": [["click", "form button:has-text('Check now')"], ["see", "span.good"]]},
 {"path": "/api", "width": 1120, "height": 640, "picture": "api",
  "do": [["click", "rapi-doc >> text=\"/account\""], ["click", "rapi-doc >> button:has-text(\"TRY\")"], ["see", "rapi-doc >> text=Demo main"], ["scrollIntoViewIfNeeded", "rapi-doc >> text=Demo main"], ["pause", 1000]]}
]}
END
cp testdata/node/pages.mjs "$dir/pages.mjs"
ln -s "$PWD/testdata/node/node_modules" "$dir/node_modules"
(cd "$dir" && BROWSER=$browser node pages.mjs < job > seen)
if grep '"errors":\["' "$dir/seen"; then
	exit 1
fi
ls -l docs/images
