#!/bin/bash
# The long forms of the tests, one after the other, with the figures they log. The comment
# after each part is its time on two cores without other work, an hour in all; with other
# work it was five times as long. Apart from the half minute that a shutdown may take, no
# test depends on elapsed time.
#
#   scripts/drills/long.sh [PART...]           default: all of them, in this order
cd "$(dirname "$0")/../.." || exit 2
set -eo pipefail # grep also succeeds on the output of a failed test

# run PACKAGES... FLAGS... runs tests and prints their results and what they log.
run() { go test -count=1 -timeout 0 -v "$@" | grep -E '^ *(---|ok|FAIL|panic|[a-z_]+\.go:)'; }

# in_memory is run with data roots in memory, if the machine has /dev/shm, because the
# time that the disk needs for syncs does not matter in these tests.
in_memory() {
  [ ! -w /dev/shm ] || local -x TMPDIR=/dev/shm
  run "$@"
}

# P1 to P8, P10 and L3: kills, power cuts, races, clocks, damage.
crashes() { # 2 minutes
  run ./publish -run 'Killed|FullDisk|Clock|CycleTwice|Stopped|Current|Damage|History|Restore|Shrinks' -seeds 28 -rounds 100
  run ./publish/durable ./fetch ./fetch/raw ./transform ./internal/accounts -run 'Killed|Power|Full|Lock|Interrupted|Compact'
}
# L1: 20 histories of 10,000 steps on files in memory.
log() { # 15 minutes
  GOGC=400 run ./publish -run 'ChangeLogUnder' -steps 10000 -histories 20 -parallel 4
}
# D1, P8: the reader with 1,000 damaged files.
damage() { # 2 minutes
  run ./serve/internal/reader -run 'DamageIsNever|WhateverCurrent'
}
# S4: 10,000 replaced snapshots of each product.
swaps() { # 6 minutes
  in_memory ./serve/internal/reader -run 'NothingLeaks' -swaps 10000
  run ./serve -run 'Panic|SocketsLeaveNothing'
}
# S1: 10,000 requests at a time and a publication every 200 ms, two minutes in all.
load() { # 3 minutes
  in_memory ./serve -run 'PublicationsUnderLoad' -load-for 60s -in-flight 10000
}
# S2 in one process, S3, R1, R2, H1.
edge() { # 2 minutes
  run ./serve -run 'Drain|OneGeneration|Suspension|SocketLoses|SocketExpires|SocketOfARotated|SocketFlood|SocketHandshake|Protocol|EveryMethod|Limits|SlowClients'
}
# M1: 1,000 manipulated data roots.
tampering() { # 5 minutes
  run ./internal/evidence/verify
}
# F1 to F7: most of the time is spent waiting for a provider that does not answer.
upstream() { # 5 minutes
  run ./fetch/internal/upstream
  run ./fetch -run 'Simulated|CutAtEvery'
  run ./cmd/mkt -run 'TooMuchOfAnAnswer' -parallel 9
}
# T1 to T4: a hundred orders, ten runs, 10,000 cases per test, planted fixtures.
meaning() { # 6 minutes
  run ./transform -run 'AnyParallelism|LiveThreeStates' -rapid.checks=10000
  run ./transform/markets ./publish/table -rapid.checks=10000 -run 'NothingIsLost|SummaryOfFile'
  run ./cmd/mkt -run 'Planted|StatesAreNeverMerged|TestScript/keys'
}
# K1.
canary() { # 3 minutes
  run ./cmd/mkt -run 'Canary'
}
# C4, C5: four workers, fifty accounts, a worker killed each second, Redis without its memory.
workers() { # 12 minutes
  (cd cluster && run ./work -run 'WorkersAreKilled' -kill-for 10m)
}

[ $# -gt 0 ] || set -- crashes log damage swaps load edge tampering upstream meaning canary workers
for part; do
  began=$SECONDS
  echo "== $part"
  $part
  echo "== $part: $((SECONDS - began)) s"
done
