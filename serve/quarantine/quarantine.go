// Package quarantine remembers, across restarts, which publications killed the process
// that loaded them. The engine that loads them is C++, and if it aborts, it takes the
// whole server with it.
//
// A note is created when a load begins and removed when it ends, whatever its result. A
// note whose lock nobody holds was left by a process that died during the load. Two of
// them put a publication into quarantine: it is not loaded for ten minutes, and after
// every further death for twice as long, up to a day. A note of another build of the
// program does not count, nor does one of an older publication.
//
// Notes are empty files, locked (flock) for as long as their load lasts. All information
// is in their names, so no content can be incomplete.
package quarantine

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"mkt/publish/durable"
)

// Allowed is the number of deaths that put a publication into quarantine.
const Allowed = 2

// Duration of a quarantine: after the second death, and at most.
const (
	shortest = 10 * time.Minute
	longest  = 24 * time.Hour
)

// Publication identifies the publication that is loaded.
type Publication struct {
	ClientID, Product string
	Version           uint64
	CommitSHA256      string
}

// Killed describes a publication that killed the process.
type Killed struct {
	Publication           // CommitSHA256 has its first 16 characters only
	Deaths      int       // at least 1
	Last        time.Time // when the last load began
	Until       time.Time // it is not loaded before this; zero if there were fewer than Allowed deaths
	Notes       []string  // the names of the files
}

// QuarantineError is the refusal to load a publication.
type QuarantineError struct{ Killed }

func (e *QuarantineError) Error() string {
	return fmt.Sprintf("loading it killed the process %d times: it is in quarantine until %s", e.Deaths, e.Until.UTC().Format(time.RFC3339))
}

// Store has the notes in one folder, which several processes may share. Safe for
// concurrent use.
type Store struct {
	disk *durable.Disk
	now  func() time.Time
}

// Open opens the folder, and creates it if it does not exist. It returns an error if no
// note can be created in it.
func Open(dir string, now func() time.Time) (*Store, error) {
	disk, err := durable.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{disk, now}
	lock, name, err := s.create()
	if err != nil {
		disk.Close()
		return nil, err
	}
	return s, errors.Join(disk.Remove(name), lock.Close(), s.sweep())
}

// sweep removes the notes that a killed process was about to create.
func (s *Store) sweep() error {
	entries, err := s.disk.ReadDir(".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !strings.HasPrefix(e.Name(), temporary) || time.Since(info.ModTime()) < time.Minute {
			continue
		}
		if err := s.remove([]string{e.Name()}); err != nil {
			return err
		}
	}
	return nil
}

// Close closes the folder. Loads in progress end normally.
func (s *Store) Close() error { return s.disk.Close() }

// Load is one load in progress.
type Load struct {
	store *Store
	p     Publication
	name  string
	lock  io.Closer
}

// Begin creates the note of a load; the caller must call End. If the publication is in
// quarantine, the error is a *QuarantineError.
func (s *Store) Begin(p Publication) (*Load, error) {
	known, err := s.of(p)
	if err != nil {
		return nil, err
	}
	if known.Deaths >= Allowed && s.now().Before(known.Until) {
		return nil, &QuarantineError{known}
	}
	lock, temp, err := s.create()
	if err != nil {
		return nil, err
	}
	name := p.prefix() + fmt.Sprintf("%d.%s.%d.%s", p.Version, short(p.CommitSHA256), s.now().UnixMilli(), build()) + "." + rand.Text()
	if err := s.disk.Rename(temp, name); err != nil {
		return nil, errors.Join(err, s.disk.Remove(temp), lock.Close())
	}
	return &Load{s, p, name, lock}, nil
}

// End removes the note of a load that has ended, with or without an error. Since the
// process has survived, the older notes of the publication are removed as well.
func (l *Load) End() error {
	err := errors.Join(l.store.disk.Remove(l.name), l.lock.Close())
	known, e := l.store.of(l.p)
	if err = errors.Join(err, e); err != nil {
		return err
	}
	return l.store.remove(known.Notes)
}

// temporary is the prefix of a note that is being created and is not locked yet.
const temporary = "new-"

func (s *Store) create() (io.Closer, string, error) {
	name := temporary + rand.Text()
	lock, err := s.disk.Lock(name)
	return lock, name, err
}

// of returns the verdict of the notes about a publication, and removes notes that no longer
// count.
func (s *Store) of(p Publication) (Killed, error) {
	entries, err := s.disk.ReadDir(".")
	if err != nil {
		return Killed{}, err
	}
	var list []note
	for _, e := range entries {
		n, ok := parse(e.Name())
		if !ok || n.ClientID != p.ClientID || n.Product != p.Product || !s.isAbandoned(n.name) {
			continue
		}
		if n.Version < p.Version || n.build != build() {
			if err := s.remove([]string{n.name}); err != nil {
				return Killed{}, err
			}
			continue
		}
		if n.CommitSHA256 == short(p.CommitSHA256) {
			list = append(list, n)
		}
	}
	return sumUp(list), nil
}

func (s *Store) isAbandoned(name string) bool {
	lock, err := s.disk.LockExisting(name)
	if err != nil {
		return false
	}
	lock.Close()
	return true
}

func (s *Store) remove(names []string) error {
	for _, name := range names {
		if err := s.disk.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// List reads the notes in a folder without changing it, and returns the publications that
// killed a process, in the order of their names. isHeld reports whether a process still
// holds a note. A missing folder is empty.
func List(dir string, isHeld func(name string) bool) ([]Killed, error) {
	disk, err := durable.OpenExisting(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer disk.Close()
	entries, err := disk.ReadDir(".")
	if err != nil {
		return nil, err
	}
	groups := map[Publication][]note{}
	var order []Publication
	for _, e := range entries {
		n, ok := parse(e.Name())
		if !ok || n.build != build() || isHeld(n.name) {
			continue
		}
		if groups[n.Publication] == nil {
			order = append(order, n.Publication)
		}
		groups[n.Publication] = append(groups[n.Publication], n)
	}
	var all []Killed
	for _, p := range order {
		all = append(all, sumUp(groups[p]))
	}
	return all, nil
}

type note struct {
	Publication
	name, build string
	begun       time.Time
}

// prefix returns the prefix of the names of all notes of a dataset. Neither part may
// contain a dot.
func (p Publication) prefix() string { return p.ClientID + "." + p.Product + "." }

var noteName = regexp.MustCompile(`^([a-z0-9_-]+)\.([a-z_]+)\.(\d{1,20})\.([0-9a-f]{16})\.(\d{1,15})\.([0-9a-f]{16})\.[A-Z2-7]+$`)

func parse(name string) (n note, ok bool) {
	m := noteName.FindStringSubmatch(name)
	if m == nil {
		return note{}, false
	}
	version, err := strconv.ParseUint(m[3], 10, 64)
	begun, err2 := strconv.ParseInt(m[5], 10, 64)
	if err != nil || err2 != nil {
		return note{}, false
	}
	return note{Publication{m[1], m[2], version, m[4]}, name, m[6], time.UnixMilli(begun)}, true
}

// sumUp combines the notes of one publication. It returns the zero value if there are
// none.
func sumUp(list []note) (k Killed) {
	if len(list) == 0 {
		return Killed{}
	}
	slices.SortFunc(list, func(a, b note) int { return a.begun.Compare(b.begun) })
	k = Killed{Publication: list[0].Publication, Deaths: len(list), Last: list[len(list)-1].begun}
	for _, n := range list {
		k.Notes = append(k.Notes, n.name)
	}
	if k.Deaths >= Allowed {
		wait := shortest
		for range k.Deaths - Allowed {
			wait = min(2*wait, longest)
		}
		k.Until = k.Last.Add(wait)
	}
	return k
}

// short returns a prefix of a hash that is long enough to distinguish the publications of
// one account.
func short(sha256 string) string {
	const letters = 16
	return (sha256 + strings.Repeat("0", letters))[:letters]
}

// build identifies this build of the program: the fault may be repaired in another one.
var build = sync.OnceValue(func() string {
	info, _ := debug.ReadBuildInfo()
	text := ""
	if info != nil {
		text = info.String()
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
})
