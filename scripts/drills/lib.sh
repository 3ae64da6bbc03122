# Shared by the drills: a temporary folder with a simulator and one account. Scripts
# source this file, which changes the working directory to $work.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
bin=${MKT:-$here/bin/mkt}
[ -x "$bin" ] || { echo "no $bin: run make build" >&2; exit 2; }
work=$(mktemp -d "${TMPDIR:-/tmp}/mkt-drill-XXXXXX")
simulator=
trap '[ -z "$simulator" ] || kill "$simulator" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work"
mkt() { "$bin" "$@"; }

# base creates an account and publishes $1 cycles.
base() {
  mkt init > /dev/null
  "$bin" simulate --listen 127.0.0.1:0 --fixtures 12 --output json > sim.json 2> /dev/null & simulator=$!
  until [ -s sim.json ]; do sleep 0.05; done
  mkt tenant add acme --product market_engine --output json > acme.json
  token=$(sed 's/.*"token":"\([^"]*\)".*/\1/' sim.json)
  url=$(sed 's/.*"base_url":"\([^"]*\)".*/\1/' sim.json)
  printf %s "$token" | mkt provider set acme --provider betsapi --base-url "$url" --allow-private-address > /dev/null
  for _ in $(seq "$1"); do mkt cycle --tenant acme > /dev/null; sleep 1; done
}

# version is the newest publication's number.
version() { ls data/client_id=acme/product=market_engine/commits | wc -l; }

fail() { echo "FAILED: $*" >&2; exit 1; }

# sound checks the data root with mkt verify; the arguments name the step for the message.
sound() { mkt verify > verify.out 2>&1 || { cat verify.out >&2; fail "$*: mkt verify"; }; }
