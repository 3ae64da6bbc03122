package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"mkt/publish/durable"
	"mkt/publish/snapshot"
	"mkt/publish/transparency"
)

// Log is the transparency log in the store, as extensions: see [transparency.Extension]. The one that follows a
// size is only created if there is none, so that there is one history, whoever writes it. Extensions are
// never deleted.
type Log struct{ objects objects }

// Log returns the transparency log kept in the store.
func (s *Store) Log() *Log { return &Log{s.objects} }

const (
	logPrefix    = "log/"
	extensions   = logPrefix + "from="
	cosignedNote = logPrefix + "cosigned"
	witnessNote  = logPrefix + "witnesses.json"
)

func extensionName(from int64) string { return fmt.Sprintf("%s%020d.json", extensions, from) }

// tileName is the name of all leaves of a full tile in one extension, which saves the small ones.
func tileName(n int64) string { return fmt.Sprintf("%stiles/%020d.json", logPrefix, n) }

// Errors of the log in a store.
var (
	// ErrLogLacks: the store has less of the log than the data root.
	ErrLogLacks = errors.New("the object store lacks entries of the transparency log that this data root has: mkt log, or mkt schedule, stores them again on a machine with the key of the log")
	// ErrLogDiverged: the data root and the store have different logs.
	ErrLogDiverged = errors.New("the transparency log of this data root does not continue to that of the object store, or the object store lacks a part of its own: " +
		"move log and leaves out of the data root, so that they are copied from the store again; if one key was used for two logs, mkt log audit --from with the checkpoint of each shows which one the witnesses know")
)

// Follow applies the extensions that follow the log of a data root. The error is [ErrLogLacks] if the store has
// less of it, and [ErrLogDiverged] if it has another one.
func (l *Log) Follow(ctx context.Context, c *transparency.Copy) error {
	for more := true; more; {
		before, after, err := l.applyAll(ctx, c)
		if err != nil {
			return err
		}
		if after > before {
			break // each extension was verified with the log before it
		}
		if more, err = l.goesOn(ctx, c, after); err != nil {
			return err
		}
	}
	return l.copyCosigned(ctx, c)
}

// applyAll applies the extensions that follow the log of a data root, and returns its sizes.
func (l *Log) applyAll(ctx context.Context, c *transparency.Copy) (before, after int64, err error) {
	if before, err = c.Size(); err != nil {
		return 0, 0, err
	}
	for after = before; ; {
		extension, err := l.next(ctx, after)
		if errors.Is(err, fs.ErrNotExist) {
			return before, after, nil
		}
		if err != nil {
			return before, after, err
		}
		head, err := c.Apply(extension)
		if errors.Is(err, transparency.ErrNotNext) {
			return before, after, fmt.Errorf("%w: %w", ErrLogDiverged, err)
		}
		if err != nil {
			return before, after, fmt.Errorf("object store: %w", err)
		}
		after = head.Size
	}
}

// next returns the extension that follows a size: that of a whole tile, if there is one. The error is
// [fs.ErrNotExist] if there is none.
func (l *Log) next(ctx context.Context, size int64) ([]byte, error) {
	if n, ok := transparency.TileOf(size); ok {
		if tile, err := l.objects.get(ctx, tileName(n)); !errors.Is(err, fs.ErrNotExist) {
			return tile, err
		}
	}
	return l.objects.get(ctx, extensionName(size))
}

// goesOn checks that the log in the store ends with the head of a data root, of a size. more is true if it has
// grown meanwhile.
func (l *Log) goesOn(ctx context.Context, c *transparency.Copy, size int64) (more bool, err error) {
	starts, err := l.starts(ctx, transparency.TileStart(size))
	if err != nil || len(starts) == 0 && size == 0 {
		return false, err
	}
	if len(starts) == 0 {
		return false, ErrLogLacks
	}
	if slices.Contains(starts, size) {
		return true, nil
	}
	newest := starts[len(starts)-1]
	if newest > size {
		return false, ErrLogDiverged
	}
	end, err := l.end(ctx, c, newest)
	if err == nil && end < size {
		err = ErrLogLacks
	}
	return false, err
}

// end returns the size of the log after the extension that follows a size. It must be a beginning of the data
// root's log.
func (l *Log) end(ctx context.Context, c *transparency.Copy, from int64) (int64, error) {
	data, err := l.objects.get(ctx, extensionName(from))
	if err != nil {
		return 0, err
	}
	_, end, err := c.ReadExtension(data)
	if err != nil {
		return 0, fmt.Errorf("object store: %s: %w", extensionName(from), err)
	}
	size, err := c.Size()
	if err != nil {
		return 0, err
	}
	if end.Size > size {
		return 0, ErrLogDiverged
	}
	own, err := c.At(end.Size)
	if err == nil && own != end.Checkpoint {
		err = ErrLogDiverged
	}
	return end.Size, err
}

// starts lists the sizes which extensions follow, from a size on.
func (l *Log) starts(ctx context.Context, from int64) (list []int64, err error) {
	after := ""
	if from > 0 {
		after = l.objects.prefix + extensionName(from-1)
	}
	err = l.objects.listFrom(ctx, Listing{Prefix: l.objects.prefix + extensions, After: after}, func(o object) (bool, error) {
		text, isName := strings.CutSuffix(strings.TrimPrefix(o.key, extensions), ".json")
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && isName && n >= from {
			list = append(list, n)
		}
		return true, nil
	})
	slices.Sort(list)
	return list, err
}

// Begun reports whether the store has a transparency log.
func (l *Log) Begun(ctx context.Context) (bool, error) {
	_, found, err := l.objects.exists(ctx, extensionName(0))
	return found, err
}

// copyCosigned copies the newest cosigned checkpoint and the last answers of the witnesses to a data root.
func (l *Log) copyCosigned(ctx context.Context, c *transparency.Copy) error {
	for _, one := range []struct {
		name string
		keep func([]byte) error
	}{{cosignedNote, c.AddCosigned}, {witnessNote, c.AddWitnesses}} {
		text, err := l.objects.get(ctx, one.name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = one.keep(text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// AttachedLog is a log of this machine that continues the one in a store.
type AttachedLog struct {
	store               *Log
	log                 *transparency.Log
	begun               int64 // size when it was attached
	cosigned, witnesses []byte
}

// Attach makes a log continue the one in the store: it has all that the store has, and each further head is
// committed in the store before anybody sees it here. Entries that the store lacks are stored: those of a log
// that was begun without a store, or whose objects vanished.
func (l *Log) Attach(ctx context.Context, t *transparency.Log) (a *AttachedLog, err error) {
	t.Commit = func(from int64, extension []byte) error { return l.commit(ctx, from, extension) }
	err = l.Follow(ctx, &t.Copy)
	if errors.Is(err, ErrLogLacks) {
		err = l.complete(ctx, t)
	}
	if err != nil {
		return nil, err
	}
	a = &AttachedLog{store: l, log: t}
	if a.begun, err = t.Size(); err == nil {
		a.cosigned, a.witnesses, err = t.Cosigned()
	}
	return a, err
}

// commit stores the extension that follows a size. The error is [snapshot.ErrConflict] if another machine was
// faster.
func (l *Log) commit(ctx context.Context, from int64, extension []byte) error {
	return l.objects.create(ctx, extensionName(from), extension)
}

// complete stores the entries that the store lacks.
func (l *Log) complete(ctx context.Context, t *transparency.Log) error {
	size, err := t.Size()
	if err != nil {
		return err
	}
	from, err := l.ends(ctx, &t.Copy)
	for ; err == nil && from < size; from = transparency.TileEnd(from) {
		var extension []byte
		if extension, err = t.Extension(from); err == nil {
			err = l.commit(ctx, from, extension)
		}
	}
	if errors.Is(err, snapshot.ErrConflict) {
		err = fmt.Errorf("%w: %w", ErrLogDiverged, err)
	}
	return err
}

// ends returns the size at which the log in the store ends.
func (l *Log) ends(ctx context.Context, c *transparency.Copy) (int64, error) {
	starts, err := l.starts(ctx, 0)
	if err != nil || len(starts) == 0 {
		return 0, err
	}
	return l.end(ctx, c, starts[len(starts)-1])
}

// Ship stores what saves other machines work, and no data depends on: the leaves of each tile that became full
// in one object, the newest cosigned checkpoint, and the last answers of the witnesses.
func (a *AttachedLog) Ship(ctx context.Context) error {
	size, err := a.log.Size()
	for from := transparency.TileStart(a.begun + 1); err == nil && transparency.TileEnd(from) <= size; from = transparency.TileEnd(from) {
		var extension []byte
		if extension, err = a.log.Extension(from); err == nil {
			n, _ := transparency.TileOf(from)
			err = a.store.objects.put(ctx, tileName(n), durable.Bytes(extension))
		}
	}
	if err != nil {
		return err
	}
	cosigned, witnesses, err := a.log.Cosigned()
	if err != nil {
		return err
	}
	for _, one := range []struct {
		name          string
		before, after []byte
	}{{cosignedNote, a.cosigned, cosigned}, {witnessNote, a.witnesses, witnesses}} {
		if one.after == nil || bytes.Equal(one.before, one.after) {
			continue
		}
		if err := a.store.objects.put(ctx, one.name, durable.Bytes(one.after)); err != nil {
			return err
		}
	}
	return nil
}
