#!/bin/sh
# Measures the socket with 4,000 connections over 500 accounts: the memory per connection
# and the latency from publication to receipt, compared with the official Node server
# (testdata/node/fanout.mjs). Needs Go, node and npm; takes eight minutes. Each
# account publishes every 8 s; both servers push a publication when the operating system
# reports the change of a file, look for others every 250 ms, and have a tick of 2 s.
#
#   scripts/realtime-bench.sh [ACCOUNTS,CONNECTIONS,FIXTURES,SECONDS [ROUNDS]]
set -eu
cd "$(dirname "$0")/.."
make --no-print-directory testdata/node/node_modules
ulimit -n 20000 || ulimit -n "$(ulimit -Hn)"
# Publishing syncs its files; a slow disk would determine the result.
[ -d /dev/shm ] && export TMPDIR=/dev/shm
MKT_BENCH_REALTIME=${1:-1} exec go test ./serve -run '^$' -bench '^BenchmarkRealtimeLoad$' -benchtime "${2:-2}x" -timeout 60m
