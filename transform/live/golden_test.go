package live_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"mkt/internal/testing/check"
	"mkt/transform/live"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// Every case is a small match, one rule each; a person reads the diff of
// -update.
func TestGoldenMatches(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			check.Must(t, err)
			var got strings.Builder
			end := play(t, string(archive.Files[0].Data), func(_ string, s *live.State) { got.WriteString(line(s) + "\n") })
			got.WriteString(whole(end))
			if *update {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "want", Data: []byte(got.String())})
				check.Must(t, os.WriteFile(name, txtar.Format(archive), 0o644))
				return
			}
			if diff := cmp.Diff(string(archive.Files[1].Data), got.String()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
