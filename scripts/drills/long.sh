#!/bin/bash
# The long forms of the crash tests, one after the other, with their figures: power
# cuts (P2), races (P4), clock (P6), damage (D1) and tamperings (M1). About ten
# minutes on two cores.
cd "$(dirname "$0")/../.." || exit 2
set -eo pipefail # grep finds something also in what a test that fails says
go test ./publish -count=1 -timeout 30m -v -run 'Killed|PowerCut|Planted|FullDisk|Rivals|Clock|CycleTwice|Stopped|Current|Floors|Damage|Mend|History|Restore' -seeds 28 -rounds 100 | grep -E '^(---|ok|FAIL|    [a-z_]+\.go)'
go test ./publish/durable ./fetch ./fetch/raw ./transform ./cmd/mkt/internal/tenants -count=1 -timeout 30m -v -run 'Killed|Power|Full|Lock|Interrupted|Roll' | grep -E '^(---|ok|FAIL|    [a-z_]+\.go)'
go test ./serve/internal/reader -count=1 -timeout 30m -v -run 'DamageIsNever|WhateverCurrent' | grep -E '^(---|ok|FAIL|    damage)'
go test ./cmd/mkt/internal/verify -count=1 -timeout 30m -v | grep -E '^(---|ok|FAIL|    [a-z_]+\.go)'
