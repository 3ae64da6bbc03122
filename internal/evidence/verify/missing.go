package verify

import (
	"fmt"

	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// missing collects missing cycles, and reports consecutive ones once.
type missing struct {
	v              *verifier
	code, dir, fix string

	first, last snapshot.Commit
	run         int
}

// add adds the next publication; gone is true if its cycle is missing.
func (m *missing) add(c snapshot.Commit, gone bool) {
	if !gone {
		m.report()
		return
	}
	if m.run == 0 {
		m.first = c
	}
	m.last = c
	m.run++
}

// report reports the collected cycles.
func (m *missing) report() {
	if m.run == 0 {
		return
	}
	what := fmt.Sprintf("it belongs to version %d and is missing, and retention did not delete it", m.first.Version)
	if m.run > 1 {
		what = fmt.Sprintf("%d cycles, of versions %d to %d, are missing, and retention did not delete them", m.run, m.first.Version, m.last.Version)
	}
	m.v.addFinding(m.code, layout.Cycle(m.dir, m.first.CycleID), m.fix, "%s", what)
	m.run = 0
}
