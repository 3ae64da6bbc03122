#!/bin/bash
# A past period runs again, as two clients see it: the demonstration is recorded over HTTP and with
# the official socket client, and compared with its replay at every speed, by hand, and after a
# replaying server was killed in the middle. Live snapshots that retention deleted meanwhile are
# rebuilt first. Needs node, and make testdata/node/node_modules.
#
#   scripts/drills/replay.sh [SECONDS [SPEED ...]]      default 60 and 1 10 60; the long run is 1200
. "$(dirname "$0")/lib.sh"
client=$here/testdata/node/replay.mjs
[ -d "$here/testdata/node/node_modules" ] || { echo "skipped: make testdata/node/node_modules"; exit 0; }
seconds=${1:-60}; shift || true
[ $# -gt 0 ] || set -- 1 10 60
field() { sed "s/.*\"$2\":\"\([^\"]*\)\".*/\1/" "$1"; } # FILE NAME: its last value of that name

mkdir demo; cd demo
"$bin" demo --dir . --listen 127.0.0.1:0 --console 127.0.0.1:0 --past 5m --fixtures 60 --in-play 8 --output json > ../demo.json 2> ../demo.log & simulator=$!
until grep -q '"event":"ready"' ../demo.json; do kill -0 $simulator 2> /dev/null || { cat ../demo.log; fail "mkt demo"; }; sleep 0.2; done
sed -i 1d ../demo.json # "open", with the same members
token=$(sed 's/.*"client_id":"main","token":"\([^"]*\)".*/\1/' ../demo.json)
node "$client" record recording.json "$seconds" "$(field ../demo.json base_url)" "$token"
kill $simulator; wait $simulator || fail "mkt demo ended with $?"
simulator=

read -r from to < <(node "$client" span recording.json)
mkt replay --tenant main --from "$from" --to "$to" --into again > replay.out || { cat replay.out; fail "mkt replay"; }
echo "replayed into another data root: $(grep -c 'the same bytes$' replay.out) cycles, all with the same bytes"
again() { # NAME SPEED KILL
  node "$client" replay "$1.json" recording.json "$2" "$3" "$bin" serve --data again --tenant main --listen 127.0.0.1:0 --replay "$from..$to" 2> "$1.log" || { cat "$1.log"; fail "replay $1"; }
  node "$client" compare recording.json "$1.json" || fail "$1"
}
again by-hand 0 0
for speed; do again "at-$speed" "$speed" 0; done
again killed 10 $((seconds / 20 + 1))
