// Package quarantine remembers, across restarts, which publications killed the
// process that loaded them: the engine that reads them is C++, and what makes it
// abort takes the whole server along.
//
// A note is made when a load begins and removed when it ends, however it ends. A
// note that nobody holds is of a process that died in between. Two of them put a
// publication into quarantine: it is not loaded for ten minutes, and after every
// further death for twice as long, up to a day. A note of another build of the
// program does not count, nor does one of an older publication.
//
// Notes are empty files, locked (flock) for as long as their load lasts. All that
// there is to know is in their names, so that there is no content to be torn.
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

// Allowed is how many deaths put a publication into quarantine.
const Allowed = 2

// How long a quarantine lasts: after the second death, and at most.
const (
	shortest = 10 * time.Minute
	longest  = 24 * time.Hour
)

// Publication is what is loaded.
type Publication struct {
	ClientID, Product string
	Version           uint64
	CommitSHA256      string
}

// Killed is what is known of a publication that killed the process.
type Killed struct {
	Publication           // CommitSHA256 has its first 16 characters only
	Deaths      int       // at least 1
	Last        time.Time // when the last load began
	Until       time.Time // before this it is not loaded; the zero time below Allowed deaths
	Notes       []string  // the files' names
}

// QuarantineError is the refusal to load a publication.
type QuarantineError struct{ Killed }

func (e *QuarantineError) Error() string {
	return fmt.Sprintf("loading it killed the process %d times: it is in quarantine until %s", e.Deaths, e.Until.UTC().Format(time.RFC3339))
}

// Store is the notes in one folder. Several processes may share it. Safe for
// concurrent use.
type Store struct {
	disk *durable.Disk
	now  func() time.Time
}

// Open opens the folder, and makes it when it is missing. The error says that no
// note can be made there.
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

// sweep removes notes that a killed process was just making.
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

// Close frees the folder. Loads that are under way end as before.
func (s *Store) Close() error { return s.disk.Close() }

// Load is one load under way.
type Load struct {
	store *Store
	p     Publication
	name  string
	lock  io.Closer
}

// Begin notes that a load begins; End must follow. The error is a
// *QuarantineError when it must not begin.
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

// End notes that the load came to its end, good or bad. The process lives: what
// killed it before was something else, or is over.
func (l *Load) End() error {
	err := errors.Join(l.store.disk.Remove(l.name), l.lock.Close())
	known, e := l.store.of(l.p)
	if err = errors.Join(err, e); err != nil {
		return err
	}
	return l.store.remove(known.Notes)
}

// temporary is before the name of a note that is being made, not yet locked.
const temporary = "new-"

// create makes a file and locks it, under a temporary name.
func (s *Store) create() (io.Closer, string, error) {
	name := temporary + rand.Text()
	lock, err := s.disk.Lock(name)
	return lock, name, err
}

// of is what the notes say of a publication. Those that do not count any more are
// removed.
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

// isAbandoned reports whether nobody holds the lock of a note.
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

// List reads the notes in a folder for somebody who looks on: publications that
// killed a process, in order of their names. isHeld tells which notes a process
// still holds. A missing folder is empty.
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

// note is what the name of one says.
type note struct {
	Publication
	name, build string
	begun       time.Time
}

// prefix is how the names of all notes of a dataset begin. Neither part holds a
// dot.
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

// sumUp is what notes of one publication come to; the zero value when there are
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

// short is enough of a hash to tell the publications of one account apart.
func short(sha256 string) string {
	const letters = 16
	return (sha256 + strings.Repeat("0", letters))[:letters]
}

// build names this build of the program: another one may have been repaired.
var build = sync.OnceValue(func() string {
	info, _ := debug.ReadBuildInfo()
	text := ""
	if info != nil {
		text = info.String()
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
})
