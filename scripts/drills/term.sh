#!/bin/bash
# P11 on the real binary: SIGTERM in each phase, at evenly spaced times. Either the run
# has committed and exits with 0, or it has changed nothing and exits with another code.
# Nothing remains in staging, and the next run succeeds.
#
#   scripts/drills/term.sh [TIMES]             default 20 per phase
. "$(dirname "$0")/lib.sh"
base 1
times=${1:-20}
root=data/client_id=acme/product=market_engine

# phase NAME: ./before contains the state before the phase.
phase() {
  committed=0 stopped=0 next=0
  rm -rf before; cp -a data before
  began=$(date +%s%N); mkt "$1" --tenant acme > /dev/null; took=$((($(date +%s%N) - began) / 1000000 + 1))
  for n in $(seq "$times"); do
    rm -rf data; cp -a before data
    old=$(ls $root/commits | wc -l) raw=$(ls $root/raw/*/cycle.json | wc -l) canonical=$(ls $root/canonical 2> /dev/null | wc -l)
    "$bin" "$1" --tenant acme > run.out 2>&1 & run=$!
    at=$((took * n / (times + 1)))
    sleep "$((at / 1000)).$(printf %03d $((at % 1000)))"
    kill -TERM "$run" 2> /dev/null || true
    code=0; wait "$run" || code=$?
    done=$(($(ls $root/commits | wc -l) - old + $(ls $root/raw/*/cycle.json | wc -l) - raw + $(ls $root/canonical | wc -l) - canonical))
    [ "$code" != 0 ] || [ "$done" -ge 1 ] || fail "$1: exit 0, and nothing was done"
    [ "$code" = 0 ] || [ "$done" = 0 ] || [ "$1" = cycle ] || fail "$1: exit $code, and something was done"
    [ "$code" = 0 ] || [ $(($(ls $root/commits | wc -l) - old)) = 0 ] || fail "$1: exit $code, and something was published"
    [ "$code" -lt 128 ] || [ "$code" = 143 ] || fail "$1: exit $code"
    left=$(ls $root/staging 2> /dev/null | grep -cv -e aside -e gone || true)
    [ "$code" = 143 ] || [ "$left" = 0 ] || fail "$1: $left left in staging"
    sound "$1, stopped after $at ms"
    if [ "$code" = 0 ]; then committed=$((committed + 1)); else stopped=$((stopped + 1)); fi
    mkt cycle --tenant acme > next.out 2>&1 || { cat next.out; fail "$1: next run"; }
    sound "$1, next run"
    next=$((next + 1))
  done
  echo "$1: $times times SIGTERM: $committed committed with exit 0, $stopped stopped without a change; $next next runs succeeded"
  rm -rf data; cp -a before data
}

phase fetch
mkt fetch --tenant acme > /dev/null
phase transform
mkt transform --tenant acme > /dev/null
phase publish
phase cycle
echo "P11: 4 phases × $times, 0 bad"
