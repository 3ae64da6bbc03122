#!/bin/bash
# P1 on the real binary and the real disk: each step is killed at every system
# call that changes the disk, one call later each time, and at random times
# while cycles run. After each kill "mkt verify" must succeed, the newest publication
# must be the old one or the new one, and the next run must succeed.
#
#   scripts/drills/kill.sh [RANDOM-KILLS]      default 100; needs strace
. "$(dirname "$0")/lib.sh"
command -v strace > /dev/null || { echo "skipped: no strace"; exit 0; }
base 2
calls="mkdirat write fsync linkat renameat unlinkat"
points=0

# at_every_call NAME COMMAND...: ./before contains the state before the command.
at_every_call() {
  name=$1; shift
  for call in $calls; do
    n=0
    while :; do
      n=$((n + 1))
      rm -rf data tenants.yaml audit.log; cp -a before/. .
      old=$(version)
      code=0
      # strace counts the calls of each thread separately: with one thread every call is reached.
      { GOMAXPROCS=1 strace -f -qq -o /dev/null -e trace="$call" -e inject="$call:signal=SIGKILL:when=$n" "$bin" "$@" > run.out 2>&1; } 2> /dev/null || code=$?
      [ "$code" = 137 ] || break
      points=$((points + 1))
      now=$(version)
      [ "$now" = "$old" ] || [ "$now" = $((old + 1)) ] || fail "$name, $call $n: version $old, then $now"
      sound "$name, $call $n"
      mkt tenant validate > /dev/null || fail "$name, $call $n: tenants.yaml"
      case $name in
        fetch | transform | publish) mkt cycle --tenant acme > next.out 2>&1 || { cat next.out; fail "$name, $call $n: next run"; } ;;
        *) mkt "$@" > /dev/null 2>&1 || fail "$name, $call $n: next run" ;;
      esac
      sound "$name, $call $n, next run"
    done
    [ "$code" = 0 ] || { cat run.out; fail "$name, $call $n: exit $code"; }
  done
  echo "$name: killed at every call; $points points so far"
}

keep() { rm -rf before; mkdir before; cp -a data tenants.yaml audit.log before/; }

keep; at_every_call edit tenant suspend acme
rm -rf data tenants.yaml audit.log; cp -a before/. .
keep; at_every_call fetch fetch --tenant acme
rm -rf data; cp -a before/data .; mkt fetch --tenant acme > /dev/null
keep; at_every_call transform transform --tenant acme
rm -rf data; cp -a before/data .; mkt transform --tenant acme > /dev/null
keep; at_every_call publish publish --tenant acme

rm -rf data; cp -a before/data .
kills=0
for _ in $(seq "${1:-100}"); do
  old=$(version)
  "$bin" cycle --tenant acme > run.out 2>&1 & run=$!
  sleep "0.$((RANDOM % 10))$((RANDOM % 10))"
  if kill -9 "$run" 2> /dev/null; then kills=$((kills + 1)); fi
  { wait "$run"; } 2> /dev/null || true
  now=$(version)
  [ "$now" = "$old" ] || [ "$now" = $((old + 1)) ] || fail "random kill: version $old, then $now"
  sound "random kill"
done
mkt cycle --tenant acme > /dev/null
mkt verify --deep > verify.out || { cat verify.out; fail "at the end: mkt verify --deep"; }
tail -2 verify.out
echo "P1: $points kills at system calls, $kills at random instants, 0 bad"
