package evidence

import (
	"io"
	"time"

	"mkt/cmd/mkt/internal/compare"
	"mkt/cmd/mkt/internal/diffpage"
)

// movements gathers for the page what the changes come to, in bounded memory.
type movements struct{ report diffpage.Report }

func newMovements(o compare.Options) *movements {
	return &movements{diffpage.New(o.A.Manifest.ClientID, string(o.A.Manifest.Product), diffSideOf(o.A.Commit).String(), diffSideOf(o.B.Commit).String())}
}

func (m *movements) add(c compare.Change) { m.report.Add(c) }

func (m *movements) finish(sum compare.Summary, now time.Time, madeBy string) {
	m.report.Finish(sum, now, madeBy)
}

func (m *movements) write(w io.Writer) error { return m.report.Write(w) }
