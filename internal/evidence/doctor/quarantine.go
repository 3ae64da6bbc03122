package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"mkt/serve/quarantine"
)

// quarantine checks for a newest publication that killed the server loading it.
func (d *doctor) quarantine(r *root) {
	if r.head == nil || d.Loads == "" {
		return
	}
	all, err := quarantine.List(d.Loads, d.isHeld)
	if err != nil {
		d.unreadable("snapshot", place{file: d.Loads}, err)
		return
	}
	at := r.at(r.head.Dir())
	for _, k := range all {
		if k.ClientID != r.id || k.Product != string(r.product) || k.Version != r.head.Version {
			continue
		}
		fix := fmt.Sprintf("%s; the next publication takes its place: %s; report it with the server's log",
			d.mkt("verify --tenant "+r.id), d.mkt("cycle --tenant "+r.id))
		if k.Deaths >= quarantine.Allowed {
			next := "the next server that starts tries it again"
			if d.now.Before(k.Until) {
				next = "it is tried again after " + k.Until.UTC().Format(time.RFC3339) + ", and an older one is served"
			}
			d.bad(Fail, "SNAPSHOT_QUARANTINED", "snapshot", at, fix, "loading it killed the server %d times, last at %s: %s", k.Deaths, k.Last.UTC().Format(time.RFC3339), next)
		} else {
			d.bad(Warn, "SNAPSHOT_QUARANTINED", "snapshot", at, fix, "a server died while it loaded it, at %s; if that happens again, an older one is served", k.Last.UTC().Format(time.RFC3339))
		}
		return
	}
	d.ok("snapshot", at, "did not kill the server")
}

// isHeld reports whether a process holds the lock of a load record. It is true if the system does
// not show it.
func (d *doctor) isHeld(record string) bool {
	info, err := os.Stat(filepath.Join(d.Loads, record))
	if err != nil {
		return true // the file was deleted: the load has ended
	}
	_, held, known := d.holderOf(info)
	return held || !known
}
