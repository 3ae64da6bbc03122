package accounts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"time"

	"mkt/publish/durable"
)

// lockWait is how long an edit waits for another one.
const lockWait = 30 * time.Second

// Edit changes the tenants file at path: it takes the lock beside it, reads and checks the file, lets
// change edit the nodes, checks the result and replaces the file. Concurrent edits wait for each
// other, and none is lost; after lockWait the error wraps durable.ErrLocked. If change returns an
// error, the file is unchanged. Edit returns the new generation.
func Edit(ctx context.Context, path string, change func(*Editor) error) (*File, error) {
	return EditLogged(ctx, path, nil, change)
}

// EditLogged is Edit with a journal, which may be nil. If the generation is not nil, the edit is in
// force, even if there is an error: see [UnloggedError].
func EditLogged(ctx context.Context, path string, journal Journal, change func(*Editor) error) (*File, error) {
	return editAt(ctx, path, journal, nil, change)
}

func editAt(ctx context.Context, path string, journal Journal, origin Origin, change func(*Editor) error) (*File, error) {
	real, err := filepath.EvalSymlinks(path) // a link stays a link
	if err != nil {
		return nil, err
	}
	root, err := durable.OpenExisting(filepath.Dir(real))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return edit(ctx, root, filepath.Base(real), path, surroundings{journal.at(real), real, origin}, change)
}

// lockName is the file that an edit locks. It is not the file itself, because that is replaced.
func lockName(name string) string { return name + ".lock" }

// EditIn is Edit on a file of an opened root; shown names it in messages.
func EditIn(ctx context.Context, root durable.FS, name, shown string, change func(*Editor) error) (*File, error) {
	return edit(ctx, root, name, shown, surroundings{log: unlogged}, change)
}

// surroundings are the log, the place and the origin of a tenants file. An edit uses them under the
// lock of the file.
type surroundings struct {
	log    opener
	path   string // whose mode and owner are kept; "" to keep neither
	origin Origin // has the accounts that the file is a copy of; nil if it is no copy
}

func edit(ctx context.Context, root durable.FS, name, shown string, out surroundings, change func(*Editor) error) (*File, error) {
	lock, err := waitForLock(ctx, root, lockName(name))
	if errors.Is(err, durable.ErrLocked) {
		return nil, fmt.Errorf("%s: %w: another command edits the accounts; try again later", shown, durable.ErrLocked)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown, err)
	}
	defer lock.Close()
	if err := durable.RemoveTempsOf(root, name); err != nil { // left by an edit that was killed
		return nil, fmt.Errorf("%s: %w", shown, err)
	}
	restore, err := keepAccess(out.path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown, err)
	}
	mark, err := out.newest(ctx, root, name, shown)
	if err != nil {
		return nil, err
	}
	before, err := read(root, name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown, err)
	}
	e, err := newEditor(shown, before)
	if err != nil {
		return nil, err
	}
	if err := change(e); err != nil {
		return nil, err
	}
	after, f, err := e.outcome()
	if err != nil {
		return nil, err
	}
	log, err := out.log()
	if err != nil {
		return nil, fmt.Errorf("%s: not changed, since the change could not be logged: %w", shown, err)
	}
	defer log.Close()
	if err := log.Allow(e.edited(f)); err != nil {
		return nil, fmt.Errorf("%s: not changed: %w", shown, err)
	}
	if err := out.share(ctx, mark.Version+1, after, log, e.edited(f)); err != nil {
		return nil, fmt.Errorf("%s: %w", shown, err)
	}
	if err := durable.Overwrite(root, name, after); err != nil {
		return nil, fmt.Errorf("write %s: %w", shown, err)
	}
	if err := out.mark(root, name, mark.Version+1, after); err != nil {
		return nil, fmt.Errorf("%s: %w", shown, err)
	}
	err = restore() // the file is a new one
	if late := log.Write(e.edited(f)); late != nil {
		err = errors.Join(err, &UnloggedError{shown, late})
	}
	return f, err
}

func waitForLock(ctx context.Context, root durable.FS, name string) (io.Closer, error) {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	for {
		lock, err := root.Lock(name)
		if !errors.Is(err, durable.ErrLocked) {
			return lock, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func read(root durable.FS, name string) ([]byte, error) {
	r, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, maxFile+1))
}

// outcome encodes the edited document, seals it and checks it like any file. It also checks that
// tenants that were not edited read exactly as before. An unedited file is only sealed.
func (e *Editor) outcome() ([]byte, *File, error) {
	body, accounts := e.body, len(e.before.Tenants)
	if len(e.touched) > 0 {
		var err error
		if body, err = e.encode(); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", e.name, err)
		}
		accounts = len(e.after.Tenants)
	}
	after := SealText(body, accounts)
	f, err := Parse(e.name, after)
	if err != nil {
		return nil, nil, fmt.Errorf("the edit would make the file invalid: %w", err)
	}
	for i := range e.before.Tenants {
		old := e.before.Tenants[i]
		now, ok := f.Tenant(old.ID)
		if e.touched[old.ID] {
			continue
		}
		if !ok {
			return nil, nil, fmt.Errorf("%s: tenant %s would be lost: edit the file by hand", e.name, old.ID)
		}
		old.Line = now.Line
		if !reflect.DeepEqual(old, *now) {
			return nil, nil, fmt.Errorf("%s: tenant %s would change: edit the file by hand", e.name, old.ID)
		}
	}
	return after, f, nil
}
