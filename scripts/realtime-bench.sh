#!/bin/sh
# Measures the socket: 4,000 connections over 500 accounts, memory for each and
# latency from publication to receipt, beside the official Node server doing the
# same (testdata/node/fanout.mjs). Needs Go, node and npm; takes eight minutes. Each
# account publishes every 8 s; both servers look for news every 250 ms and push on a
# tick of 2 s.
#
#   scripts/realtime-bench.sh [ACCOUNTS,CONNECTIONS,FIXTURES,SECONDS]
set -eu
cd "$(dirname "$0")/.."
make --no-print-directory testdata/node/node_modules
ulimit -n 20000 || ulimit -n "$(ulimit -Hn)"
# Publishing syncs its files; a disk that is slow at it would set the pace.
[ -d /dev/shm ] && export TMPDIR=/dev/shm
MKT_BENCH_REALTIME=${1:-1} exec go test ./serve -run '^$' -bench '^BenchmarkRealtimeLoad$' -benchtime 1x -timeout 60m
