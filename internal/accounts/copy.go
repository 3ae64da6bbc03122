package accounts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"mkt/publish/durable"
	"mkt/publish/snapshot"
)

// Origin keeps the accounts of several machines, as numbered versions that are written once. The
// tenants file is then a copy of the newest one. store.Accounts is one.
type Origin interface {
	// Newest is the number of the newest version, 0 if there is none; from is the number of one
	// that exists, or 0.
	Newest(ctx context.Context, from uint64) (uint64, error)
	Read(ctx context.Context, n uint64) ([]byte, error)
	// Log returns the log entries of the edits that made some versions.
	Log(ctx context.Context, first, last uint64) ([]byte, error)
	// Commit makes version n; snapshot.ErrConflict if there is one of that number.
	Commit(ctx context.Context, n uint64, file, log []byte) error
}

// Copy is a tenants file that is a copy of the accounts of an [Origin]. A mark beside the file says
// which version it has.
//
// An edit brings the copy up to date, makes the next version of the origin, and then changes the
// file. If two machines edit at once, one of them is told to run its command again. A change by
// hand is in force on its machine alone, until the next edit there makes it a version, or a newer
// version of another machine replaces it.
type Copy struct {
	Path    string
	Origin  Origin
	Journal Journal // may be nil
}

// Mark says which version a copy is of.
type Mark struct {
	Format  int    `json:"format"`
	Version uint64 `json:"version"`
	SHA256  string `json:"sha256"`
}

// MarkFormat is the version of the format of a mark.
//
//	1: first
const MarkFormat = 1

func markName(name string) string { return name + ".copied" }

// readMark reads the mark of a copy; Version is 0 if there is none that can be read.
func readMark(root durable.ReadFS, name string) Mark {
	var m Mark
	data, err := durable.ReadFile(root, markName(name), 4096)
	if err != nil || json.Unmarshal(data, &m) != nil || m.Format != MarkFormat {
		return Mark{}
	}
	return m
}

func writeMark(root durable.FS, name string, version uint64, file []byte) error {
	data, err := json.Marshal(Mark{MarkFormat, version, durable.Hash(file)})
	if err != nil {
		return err
	}
	return durable.Overwrite(root, markName(name), append(data, '\n'))
}

// Refreshed is what Refresh did.
type Refreshed struct {
	Version uint64 // of the copy; 0 if the origin has none
	Newer   bool   // the copy was replaced
	// Backup is the name of the file with what had been changed by hand before it was
	// replaced; "" if nothing had been.
	Backup string
}

// Refresh brings the copy up to date. A version that is not valid is never copied: the copy stays
// as it is, and the error is an *InvalidError.
func (c Copy) Refresh(ctx context.Context) (done Refreshed, err error) {
	real, err := filepath.EvalSymlinks(c.Path)
	if errors.Is(err, fs.ErrNotExist) {
		real, err = c.Path, nil
	}
	if err != nil {
		return done, err
	}
	root, err := durable.OpenRoot(filepath.Dir(real))
	if err != nil {
		return done, err
	}
	defer root.Close()
	name := filepath.Base(real)
	if mark, newest, err := c.behind(ctx, root, name); err != nil || mark.Version == newest {
		return Refreshed{Version: mark.Version}, err
	}
	lock, err := waitForLock(ctx, root, lockName(name))
	if err != nil {
		return done, fmt.Errorf("%s: %w", c.Path, err)
	}
	defer lock.Close()
	return c.refresh(ctx, root, name, c.Journal.at(real), real)
}

// behind returns the mark of the copy and the newest version. The mark is empty if the copy is
// missing.
func (c Copy) behind(ctx context.Context, root durable.ReadFS, name string) (m Mark, newest uint64, err error) {
	there, err := durable.Exists(root, name)
	if err != nil {
		return m, 0, err
	}
	if there {
		m = readMark(root, name)
	}
	newest, err = c.Origin.Newest(ctx, m.Version)
	return m, newest, err
}

// refresh is Refresh under the lock of edits.
func (c Copy) refresh(ctx context.Context, root durable.FS, name string, open opener, real string) (done Refreshed, err error) {
	mark, newest, err := c.behind(ctx, root, name)
	if done.Version = mark.Version; err != nil || newest == mark.Version {
		return done, err
	}
	file, err := c.Origin.Read(ctx, newest)
	if err != nil {
		return done, err
	}
	if err := checkVersion(newest, file); err != nil {
		return done, err
	}
	entries, err := c.Origin.Log(ctx, mark.Version+1, newest)
	if err != nil {
		return done, err
	}
	if done.Backup, err = backUp(root, name, mark, newest, file); err != nil {
		return done, err
	}
	there, err := durable.Exists(root, name)
	if err != nil {
		return done, err
	}
	if !there {
		real = "" // there is no mode or owner to keep
	}
	restore, err := keepAccess(real)
	if err != nil {
		return done, err
	}
	if err := durable.Overwrite(root, name, file); err != nil {
		return done, err
	}
	if err := errors.Join(restore(), merge(open, entries)); err != nil {
		return done, err // the mark is written only when the log is complete
	}
	done.Version, done.Newer = newest, true
	return done, writeMark(root, name, newest, file)
}

// checkVersion checks a version of the origin.
func checkVersion(n uint64, file []byte) error {
	shown := fmt.Sprintf("version %d of the accounts in the object store", n)
	f, err := Parse(shown, file)
	if err == nil && f.seal != Sealed {
		return &InvalidError{File: shown, Problems: []Problem{{Reason: "it has no valid seal: it was not made by mkt, or is cut off"}}}
	}
	return err
}

func merge(open opener, entries []byte) error {
	log, err := open()
	if err != nil {
		return err
	}
	defer log.Close()
	return log.Merge(entries)
}

// backUp keeps a file that is about to be replaced, if it is not a copy and lists an account.
func backUp(root durable.FS, name string, mark Mark, newest uint64, by []byte) (backup string, err error) {
	here, err := read(root, name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && (durable.Hash(here) == mark.SHA256 || bytes.Equal(here, by)) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if f, err := Parse(name, here); err == nil && len(f.Tenants) == 0 {
		return "", nil
	}
	backup = fmt.Sprintf("%s.before-%d", name, newest)
	return backup, durable.Overwrite(root, backup, here)
}

// Edit is [EditLogged] for the accounts of the origin.
func (c Copy) Edit(ctx context.Context, change func(*Editor) error) (*File, error) {
	if _, err := c.Refresh(ctx); err != nil { // the file may not be there yet
		return nil, notEdited(c.Path, err)
	}
	return editAt(ctx, c.Path, c.Journal, c.Origin, change)
}

func notEdited(shown string, err error) error {
	return fmt.Errorf("%s: not changed: the accounts are in the object store: %w", shown, err)
}

// newest brings the copy up to date before an edit. Its mark is of no version for a file that is
// not a copy, and if the origin has no version yet.
func (out surroundings) newest(ctx context.Context, root durable.FS, name, shown string) (Mark, error) {
	if out.origin == nil {
		return Mark{}, nil
	}
	c := Copy{Path: shown, Origin: out.origin}
	if _, err := c.refresh(ctx, root, name, out.log, out.path); err != nil {
		return Mark{}, notEdited(shown, err)
	}
	m := readMark(root, name)
	if m.Version == 0 {
		return m, nil
	}
	there, err := out.origin.Read(ctx, m.Version)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && durable.Hash(there) != m.SHA256:
		return m, notEdited(shown, fmt.Errorf("this machine has version %d of them, and the store has another one or none: it was restored from a backup, or is another store; if its accounts are right, delete %s, else correct the setting store",
			m.Version, markName(name)))
	case err != nil:
		return m, notEdited(shown, err)
	}
	return m, nil
}

// share makes the edited file a version of the origin. The log of the first one is the whole log.
func (out surroundings) share(ctx context.Context, version uint64, file []byte, log Log, e Edited) error {
	if out.origin == nil {
		return nil
	}
	entries, err := log.Entries(e)
	if err != nil {
		return err
	}
	if version == 1 {
		all, err := log.All()
		if err != nil {
			return err
		}
		entries = append(all, entries...)
	}
	err = out.origin.Commit(ctx, version, file, entries)
	if errors.Is(err, snapshot.ErrConflict) {
		return errors.New("not changed: another machine changed the accounts at the same time: run the command again")
	}
	if err != nil {
		return fmt.Errorf("the change may not have been made: look at the accounts before you run the command again: %w", err)
	}
	return nil
}

// mark marks the edited file as a copy.
func (out surroundings) mark(root durable.FS, name string, version uint64, file []byte) error {
	if out.origin == nil {
		return nil
	}
	return writeMark(root, name, version, file)
}

// Status is what is known of a copy without changing it.
type Status struct {
	Version, Newest uint64 // of the copy and of the origin; 0 for none
	ByHand          bool   // the file was changed by hand since it was copied, or never was a copy
	Invalid         error  // of the newest version; nil if it is valid
}

// Status compares the copy with its origin.
func (c Copy) Status(ctx context.Context) (s Status, err error) {
	real, err := filepath.EvalSymlinks(c.Path)
	if err != nil {
		return s, err
	}
	root, err := durable.OpenExisting(filepath.Dir(real))
	if err != nil {
		return s, err
	}
	defer root.Close()
	m, newest, err := c.behind(ctx, root, filepath.Base(real))
	if err != nil {
		return s, err
	}
	here, err := read(root, filepath.Base(real))
	if err != nil {
		return s, err
	}
	s = Status{Version: m.Version, Newest: newest, ByHand: durable.Hash(here) != m.SHA256}
	if newest > 0 {
		file, err := c.Origin.Read(ctx, newest)
		if err != nil {
			return s, err
		}
		s.Invalid = checkVersion(newest, file)
	}
	return s, nil
}
