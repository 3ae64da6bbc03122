#!/bin/sh
# Restore: cycles are published to an object store, the machine is lost, and everything is
# pulled into an empty folder. It must be the same files, verify, give the same answers, and
# go on.
#
#   scripts/drills/restore.sh                     on a store of its own, which needs Go
#   MKT_STORE=s3://… scripts/drills/restore.sh    on yours, below a prefix of its own, which
#                                                 it prints: delete that afterwards
. "$(dirname "$0")/lib.sh"
started=
trap 'for p in $started $simulator; do kill "$p" 2>/dev/null || true; done; wait 2>/dev/null || true; rm -rf "$work"' EXIT

if [ -z "${MKT_STORE:-}" ]; then
  (cd "$here/cluster" && go build -o "$work/store" ./cmd/store)
  mkdir objects
  ./store -dir objects -listen "127.0.0.1:$((20000 + $$ % 20000))" > store.out 2> store.log & started="$started $!"
  until grep -q MKT_STORE store.out; do kill -0 $! || { cat store.log >&2; fail "the store"; }; sleep 0.1; done
  grep '^export ' store.out > store.env
  . ./store.env
  until curl -s -o /dev/null "$(echo "$MKT_STORE" | sed 's/.*endpoint=\([^&]*\).*/\1/; s/%3A/:/g; s/%2F/\//g')"; do sleep 0.1; done
fi
before=${MKT_STORE%%\?*}
MKT_STORE="${before%/}/drill-$(date +%s)-$$${MKT_STORE#"$before"}"
export MKT_STORE
echo "the publications are below ${before%/}/$(echo "$MKT_STORE" | sed 's/.*\/\(drill-[0-9-]*\).*/\1/')"

base 4
mkt doctor > doctor.out || { cat doctor.out >&2; fail "mkt doctor"; }

mv data lost
mkt pull --all --data restored --dry-run
mkt pull --all --data restored
mkt verify --data restored > verify.out 2>&1 || { cat verify.out >&2; fail "mkt verify of what was pulled"; }
hashes() { (cd "$1/client_id=acme/product=market_engine" && find commits snapshots changes canonical raw -type f -exec sha256sum {} + | sort); }
hashes lost > lost.sums
hashes restored > restored.sums
diff lost.sums restored.sums || fail "the files differ"

# answers saves what is served of a data root, with a clock that stands still.
answers() {
  mkdir "$2"
  "$bin" serve --data "$1" --as-of latest --listen 127.0.0.1:0 --output json > "$2.json" 2> "$2.log" & serving=$!
  started="$started $serving"
  until [ -s "$2.json" ]; do kill -0 "$serving" 2>/dev/null || { cat "$2.log" >&2; fail "mkt serve of $1"; }; sleep 0.1; done
  url=$(sed 's/.*"base_url":"\([^"]*\)".*/\1/' "$2.json")
  token=$(grep -o 'mkt_[A-Za-z0-9]*' "$2.json" | head -1)
  get() { curl -sf -H "Authorization: Bearer $token" "$url/api/v1/$1" | sed 's/"request_id":"[^"]*"//'; }
  get 'fixtures?limit=200' > "$2/fixtures"
  get 'changes?limit=1000' > "$2/changes"
  for id in $(grep -o 'fx_[a-z0-9]*' "$2/fixtures" | sort -u); do get "fixtures/$id/markets?limit=200" > "$2/$id"; done
  kill "$serving"
}
answers lost of-lost
answers restored of-restored
diff -r of-lost of-restored > differences || { head -5 differences >&2; fail "the answers differ"; }

mkt cycle --tenant acme --data restored > cycle.out 2>&1 || { cat cycle.out >&2; fail "a cycle on what was pulled"; }
mkt verify --data restored > verify.out 2>&1 || { cat verify.out >&2; fail "mkt verify after a cycle"; }
grep -q 'version 5' cycle.out || { cat cycle.out >&2; fail "the cycle did not go on"; }
echo "OK: $(wc -l < lost.sums) files and $(ls of-lost | wc -l) answers are the same, and the next cycle went on"
