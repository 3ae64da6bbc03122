# What make check shows of go test -v: a line a package, every skipped test with
# what it needs, the names of what failed, and a count.
/^=== (RUN|CONT|NAME)/           { current = $3 }
/^ +[a-z0-9_]+\.go:[0-9]+: /     { if (!/: WORK=/) { why[current] = $0; sub(/^ +[^ ]+ /, "", why[current]) } }
/skip 'needs /                   { reason = $0; sub(/.*skip '/, "", reason); sub(/'$/, "", reason); why[current] = reason }
/^ *--- PASS/                    { passed++ }
/^ *--- SKIP/                    { skipped++; kind = why[$3]; sub(/: .*/, "", kind); kinds[kind]++; print "skipped  " $3 "  " why[$3] }
/^ *--- FAIL/                    { failed++; print "FAILED   " $3 "  " why[$3] }
/^(ok|FAIL|panic:)/              { print }
END {
	printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
	for (kind in kinds) {
		printf "  %d skipped: %s\n", kinds[kind], kind
		if (kind !~ /^needs /) unexplained++
	}
	if (unexplained) print "a skipped test does not say what it needs"
	exit unexplained > 0
}
