package store

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"mkt/internal/cluster/store/object"
	"mkt/internal/receipts/transparency"
	"mkt/publish/durable"
)

// Log is the backup of a transparency log, which one machine keeps: an archive of each full tile, one with all other
// files, and the head that both are at least as new as.
type Log struct{ objects object.Set }

// Log returns the backup of the transparency log.
func (s *Store) Log() *Log { return &Log{s.objects} }

const (
	logHead = "log/checkpoint"
	logLast = "log/last.tar"
)

func logTile(n int64) string { return fmt.Sprintf("log/%020d.tar", n) }

// Head returns the signed head; nil if there is no backup.
func (l *Log) Head(ctx context.Context) ([]byte, error) {
	head, err := l.objects.Get(ctx, logHead)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return head, err
}

// BackUp stores a log with a head, below a data root, of which the backup has a beginning, or nothing. The head comes
// last, so that the next call stores what an interrupted one did not.
func (l *Log) BackUp(ctx context.Context, data durable.ReadFS, head transparency.Signed) error {
	there, err := l.Head(ctx)
	if err != nil || string(there) == string(head.Note) {
		return err
	}
	var before transparency.Checkpoint
	if there != nil {
		text, _, _ := strings.Cut(string(there), "\n\n")
		if before, err = transparency.ParseCheckpoint(text + "\n"); err != nil {
			return fmt.Errorf("object store: %s: %w", logHead, err)
		}
	}
	for n := transparency.TilesOf(before.Size); n < transparency.TilesOf(head.Size); n++ {
		if err := l.archive(ctx, data, logTile(n), transparency.TileFiles(n)); err != nil {
			return err
		}
	}
	if err := l.archive(ctx, data, logLast, transparency.LastFiles(head.Size)); err != nil {
		return err
	}
	return l.objects.Put(ctx, logHead, durable.Bytes(head.Note))
}

func (l *Log) archive(ctx context.Context, data durable.ReadFS, name string, files []string) error {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, file := range files {
		content, err := durable.ReadFile(data, file, object.MaxObject)
		if errors.Is(err, fs.ErrNotExist) && transparency.MayLack(file) {
			continue
		}
		if err == nil {
			err = w.WriteHeader(header(file, tar.TypeReg, "", int64(len(content))))
		}
		if err == nil {
			_, err = w.Write(content)
		}
		if err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return l.objects.Put(ctx, name, durable.Bytes(out.Bytes()))
}
