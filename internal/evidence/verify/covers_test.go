package verify_test

import (
	"strings"
	"testing"

	"mkt/internal/evidence/verify"
	"mkt/internal/testing/check"
	"mkt/publish/durable"
	"mkt/publish/layout"
)

// counting counts how often files are opened.
type counting struct {
	durable.FS
	opened map[string]int
}

func (c *counting) Open(name string) (durable.Reader, error) {
	c.opened[name]++
	return c.FS.Open(name)
}

// The watermarks of retention are checked once, and not for every missing cycle: a check reads hundreds of
// commit records.
func TestWatermarksAreCheckedOnce(t *testing.T) {
	t.Parallel()
	f, err := tickFilm()
	check.Must(t, err)
	root := &counting{f.frames[len(f.frames)-1].PowerCut(1, 0), map[string]int{}}
	days, err := root.ReadDir(layout.CanonicalDir)
	check.Must(t, err)
	for _, day := range days {
		check.Must(t, root.RemoveAll(layout.CanonicalDir+"/"+day.Name()))
	}
	report, err := verify.Run(t.Context(), verify.Options{ClientID: "acme", Product: f.product, Root: root, Command: "mkt"})
	check.Must(t, err)
	if len(report.Findings) == 0 {
		t.Fatal("no finding without canonical cycles")
	}
	for name, n := range root.opened {
		if strings.HasPrefix(name, layout.CommitsDir+"/") && n > 10 {
			t.Errorf("%s was opened %d times", name, n)
		}
	}
}
