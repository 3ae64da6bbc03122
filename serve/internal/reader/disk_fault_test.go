package reader

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"mkt/internal/testing/servetest"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/serve/internal/reader/segments"
)

// faulty is a disk on which some names cannot be opened, described or read.
type faulty struct {
	*durable.Disk
	name string // and everything below it
	err  error
	late bool // it can be opened, and then not read
}

func (f faulty) hits(name string) bool { return name == f.name || strings.HasPrefix(name, f.name+"/") }

func (f faulty) Open(name string) (durable.Reader, error) {
	if !f.hits(name) {
		return f.Disk.Open(name)
	}
	if !f.late {
		return nil, f.err
	}
	r, err := f.Disk.Open(name)
	return faultyReader{r, f.err}, err
}

type faultyReader struct {
	durable.Reader
	err error
}

func (r faultyReader) Read([]byte) (int, error)          { return 0, r.err }
func (r faultyReader) ReadAt([]byte, int64) (int, error) { return 0, r.err }

// If the disk cannot return a file of the newest publication, or refuses to, an older
// publication is served, by a new reader and by one that is already serving. When the
// fault is over, the newest is served again.
func TestOlderPublicationIsServedDuringDiskFaults(t *testing.T) {
	t.Parallel()
	root := servetest.NewRoot(t, t.TempDir(), "acme")
	first, second := root.PublishNext(2, 2), root.PublishNext(3, 2)
	for _, c := range []struct {
		name string
		want uint64
	}{
		{layout.Current, 2}, {layout.Commit(2), 1}, {second.Dir(), 1}, {second.Dir() + "/" + layout.ManifestFile, 1},
		{second.Dir() + "/" + layout.MarketsFile, 1}, {first.Dir(), 2},
	} {
		for _, fault := range []error{syscall.EIO, syscall.EACCES, syscall.ELOOP, syscall.ESTALE, syscall.EMFILE} {
			late := fault == syscall.EIO && testing.Short() || fault == syscall.ESTALE
			if testing.Short() && fault != syscall.EIO && c.name != layout.Commit(2) {
				continue
			}
			at := servetest.Start
			l, err := Open(Options{DataDir: root.DataDir, CacheDir: t.TempDir(), Products: []football.Product{football.MarketEngine}, Now: func() time.Time { return at }})
			must(t, err)
			disk, err := durable.OpenWithin(root.DataDir, layout.TenantProduct("acme", string(football.MarketEngine)))
			must(t, err)
			d := l.Tenant("acme").Dataset(football.MarketEngine)
			d.root, d.segments = faulty{disk, c.name, fault, late}, segments.New(disk, 1<<20, l.steps)
			d.Refresh(t.Context())
			want := c.want
			if fault == syscall.EMFILE && want == 1 || fault == syscall.EMFILE && c.name == layout.Current {
				want = 0 // it says nothing of the file: the same again, when there are files to be had
			}
			if got := servedBy(d); got != want || (d.Trouble() == NoTrouble) != (want == 2) {
				t.Errorf("%s: %v: version %d is served, want %d; trouble %q", c.name, fault, got, want, d.Trouble())
			}
			at = at.Add(unreadableFor)
			if fault == syscall.ELOOP || fault == syscall.EIO && !late {
				at = at.Add(invalidFor)
			}
			d.root = disk
			d.Refresh(t.Context())
			if got := servedBy(d); got != 2 || d.Trouble() != NoTrouble {
				t.Errorf("%s: %v: version %d is served after the fault, trouble %q", c.name, fault, got, d.Trouble())
			}
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func servedBy(d *Dataset) uint64 {
	v := d.Acquire()
	if v == nil {
		return 0
	}
	defer v.Release()
	return v.Commit().Version
}
