package simulation

import (
	"os"
	"testing"
	"time"
)

// ofLive is a world with matches in play that are looked at often.
var ofLive = Options{Length: time.Hour, Live: 20 * time.Second, Quiet: true}

// Score and timeline of a match in play agree with what the provider said last, also after a goal that it
// took back.
func TestLiveWorlds(t *testing.T) {
	o := ofLive
	o.Seed = max(*seed, 1)
	r := runProcess(t, os.Args[0], o)
	t.Logf("%d operations, %d events, %d publications, %d rows, %d goals taken back, log %s, %s", r.Operations, len(r.Events), r.Published, r.Judged, r.TakenBack, r.Hash(), r.Took.Round(time.Millisecond))
	if *logs != "" {
		if err := os.WriteFile(*logs, r.Log, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if r.Failure != "" {
		t.Fatalf("seed %d: %s", o.Seed, r.Failure)
	}
	if *seed == 0 && (r.Judged < 300 || r.TakenBack == 0) {
		t.Errorf("%d rows of matches in play were compared, and %d goals were taken back", r.Judged, r.TakenBack)
	}
}
