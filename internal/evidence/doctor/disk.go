package doctor

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"mkt/internal/terminal"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
)

const enoughCycles = 10

// fullDisk is the cause of findings about the disk, and of steps that failed for it.
const fullDisk = "disk"

type Space struct {
	Bytes  uint64 // free to this user
	Inodes uint64 // free; see NoInodes
	// NoInodes is true if the file system has no fixed number of inodes.
	NoInodes bool
}

func spaceOf(dir string) (Space, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return Space{}, err
	}
	return Space{Bytes: s.Bavail * uint64(s.Bsize), Inodes: s.Ffree, NoInodes: s.Files == 0}, nil
}

// disk compares the free space of the data root with the size of one cycle of every tenant: the
// newest snapshot with its canonical rows and its raw answers. For the account with the most rows,
// it adds the rows in staging while transform reads.
func (d *doctor) disk() {
	used, staged := usage{}, uint64(0)
	for _, r := range d.roots {
		if r.fs == nil || r.head == nil {
			continue
		}
		before := used.size
		used.add(r.at(layout.Cycle(layout.CanonicalDir, r.head.CycleID)).file)
		if rows := rowsToTable * (used.size - before); r.product == football.MarketEngine && rows > leastStaged {
			staged = max(staged, rows)
		}
		for _, dir := range []string{layout.SnapshotsDir, layout.RawDir} {
			used.add(r.at(layout.Cycle(dir, r.head.CycleID)).file)
		}
	}
	size, files := used.size+staged, used.files
	space, err := d.Space(existing(d.Data))
	at := place{file: d.Data}
	if err != nil {
		d.unreadable("disk", at, err)
		return
	}
	level := func(free, one uint64) Level {
		switch {
		case free < 2*one:
			return Fail
		case free < enoughCycles*one:
			return Warn
		}
		return OK
	}
	const fix = "free space, move the data root to a larger disk, or keep less (retention in mkt.yaml)"
	free := terminal.Size(int64(min(space.Bytes, math.MaxInt64))) // a file system in a cloud may say 16 EiB
	if l := level(space.Bytes, max(size, leastCycle)); l != OK {
		d.bad(l, "DISK_SPACE", "disk", at, fix, "%s free, and one cycle of all tenants takes %s", free, terminal.Size(int64(size))).causedBy(fullDisk, "")
	} else {
		d.ok("disk", at, "%s free, one cycle takes %s", free, terminal.Size(int64(size)))
	}
	if space.NoInodes {
		return
	}
	if l := level(space.Inodes, max(files, leastFiles)); l != OK {
		d.bad(l, "DISK_INODES", "disk", at, fix, "%d inodes free, and one cycle of all tenants takes %d", space.Inodes, files).causedBy(fullDisk, "")
	} else {
		d.ok("disk", at, "%d inodes free, one cycle takes %d", space.Inodes, files)
	}
}

// leastCycle and leastFiles are the size of a cycle of some 100 fixtures. They are assumed for
// an installation without a cycle.
const (
	leastCycle = 4 << 20
	leastFiles = 50
)

// Rows in staging take some four times as much as in their table. The first 16 MiB are kept in
// memory.
const (
	rowsToTable = 4
	leastStaged = 16 << 20
)

func existing(dir string) string {
	for {
		if isFolder(dir) || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// usage is the disk space of files and folders, in bytes and in files. A file with several names
// is counted once.
type usage struct {
	size, files uint64
	links       durable.Links
}

func (u *usage) add(dir string) {
	filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		info, err := e.Info()
		if err != nil {
			u.files++
			return nil
		}
		if times, _ := u.links.Seen(info); times > 1 {
			return nil
		}
		u.files++
		if info.Mode().IsRegular() {
			u.size += uint64(info.Size())
		}
		return nil
	})
}

// debrisAge is the age from which a file in staging is left over from an interrupted run.
const debrisAge = 24 * time.Hour

// staging looks for files of interrupted runs. The next publication removes them.
func (d *doctor) staging(r *root) {
	if _, err := os.Stat(filepath.Join(r.dir, layout.StagingDir)); errors.Is(err, fs.ErrNotExist) {
		return
	}
	var found debris
	for _, dir := range []string{layout.StagingDir, layout.QuarantineDir} {
		if err := found.add(filepath.Join(r.dir, filepath.FromSlash(dir)), d.now); err != nil {
			d.unreadable("staging", r.at(dir), err)
			return
		}
	}
	if found.n == 0 {
		d.ok("staging", r.at(layout.StagingDir), "no files of interrupted runs")
		return
	}
	d.bad(Warn, "STAGING_DEBRIS", "staging", r.at(layout.StagingDir), d.mkt("cycle --tenant "+r.id),
		"%s of interrupted runs, %s, the oldest %s old; the next publication removes them", terminal.Plural(found.n, "item"), terminal.Size(int64(found.size)), ago(found.oldest))
}

type debris struct {
	n      int
	size   uint64
	oldest time.Duration
}

func (s *debris) add(dir string, now time.Time) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || now.Sub(info.ModTime()) < debrisAge || e.Name() == filepath.Base(layout.QuarantineDir) {
			continue
		}
		var left usage
		left.add(filepath.Join(dir, e.Name()))
		s.n, s.size, s.oldest = s.n+1, s.size+left.size, max(s.oldest, now.Sub(info.ModTime()))
	}
	return nil
}
