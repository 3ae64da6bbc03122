# What make check shows of go test -v: a line a package, every skipped test with
# what it needs, what a failed one said, and a count.
/^=== (RUN|CONT|NAME|PAUSE)/     { current = $3; next }
/^panic:|^fatal error:/          { panicked = 1 }
panicked                         { print; if (/^FAIL/) panicked = 0; next }
/^ +[a-z0-9_]+\.go:[0-9]+: /     { if (!/: WORK=/) { why[current] = $0; sub(/^ +[^ ]+ /, "", why[current]) } }
/skip 'needs /                   { reason = $0; sub(/.*skip '/, "", reason); sub(/'$/, "", reason); why[current] = reason }
/^ *--- PASS/                    { passed++; delete said[$3]; next }
/^ *--- SKIP/                    { skipped++; kind = why[$3]; sub(/: .*/, "", kind); kinds[kind]++; print "skipped  " $3 "  " why[$3]; next }
/^ *--- FAIL/                    { failed++; print "FAILED   " $3; printf "%s", said[$3]; next }
/^(ok|FAIL)/                     { print; next }
                                 { said[current] = said[current] substr($0, 1, 1000) "\n" }
END {
	printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
	for (kind in kinds) {
		printf "  %d skipped: %s\n", kinds[kind], kind
		if (kind !~ /^needs /) unexplained++
	}
	if (unexplained) print "a skipped test does not say what it needs"
	exit unexplained > 0
}
