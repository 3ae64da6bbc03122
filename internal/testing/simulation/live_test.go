package simulation

import (
	"os"
	"strings"
	"testing"
	"time"
)

// ofLive is a world with matches in play that are looked at often.
var ofLive = Options{Length: time.Hour, Live: 20 * time.Second, Quiet: true}

// Score and timeline of a match in play agree with what the provider said last, also after a goal that it
// took back.
func TestLiveWorlds(t *testing.T) {
	t.Parallel()
	o := ofLive
	if o.Seed = *seed; o.Seed == 0 { // the world of CI
		o.Seed, o.Length = 1, 20*time.Minute
	}
	r := InProcess[Result](t, os.Args[0], o)
	t.Logf("%d operations, %d events, %d publications, %d rows, %d entries, %d goals taken back, log %s, %s", r.Operations, len(r.Events), r.Published, r.Judged, r.Followed, r.TakenBack, r.Hash(), r.Took.Round(time.Millisecond))
	if *logs != "" {
		if err := os.WriteFile(*logs, r.Log, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if r.Failure != "" {
		small := Shrink(t, os.Args[0], o, r, time.Now().Add(*shrinking))
		t.Fatalf("seed %d: %s\nthe shortest history found of the same failure has %d of %d events:\n  %s\n  %s", o.Seed, r.Failure,
			len(small.Events), len(r.Events), strings.Join(small.Events, "\n  "), small.Failure)
	}
	if *seed == 0 && (r.Judged < 300 || r.Followed < 300 || r.TakenBack == 0) {
		t.Errorf("%d rows of matches in play were compared, %d entries were followed, and %d goals were taken back", r.Judged, r.Followed, r.TakenBack)
	}
}
