# What make check shows of go test -v: a line a package, every skipped test with
# its reason, the names of what failed, and a count.
/^=== (RUN|CONT|NAME)/           { current = $3 }
/^ +[a-z0-9_]+\.go:[0-9]+: /     { sub(/^ +/, ""); why[current] = $0 }
/^ *--- PASS/                    { passed++ }
/^ *--- SKIP/                    { skipped++; print "skipped  " $3 "  " why[$3] }
/^ *--- FAIL/                    { failed++; print "FAILED   " $3 "  " why[$3] }
/^(ok|FAIL|panic:)/              { print }
END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped }
