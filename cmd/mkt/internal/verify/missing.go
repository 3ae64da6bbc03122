package verify

import (
	"fmt"

	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// missing collects cycles that are gone, so that a run of them is told once.
type missing struct {
	v         *verifier
	code, dir string
	fix       func(layout.CycleID) string

	first, last snapshot.Commit
	run         int
}

// see takes the next publication; gone says that its cycle should be there.
func (m *missing) see(c snapshot.Commit, gone bool) {
	if !gone {
		m.tell()
		return
	}
	if m.run == 0 {
		m.first = c
	}
	m.last = c
	m.run++
}

// tell ends a run.
func (m *missing) tell() {
	if m.run == 0 {
		return
	}
	what := fmt.Sprintf("it is of version %d, retention did not delete it, and it is not there", m.first.Version)
	if m.run > 1 {
		what = fmt.Sprintf("%d cycles, of version %d to version %d, are not there, and retention did not delete them", m.run, m.first.Version, m.last.Version)
	}
	m.v.find(m.code, layout.Cycle(m.dir, m.first.CycleID), m.fix(m.first.CycleID), "%s", what)
	m.run = 0
}
