package store

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io/fs"
	"mkt/internal/cluster/store/pack"

	"mkt/internal/cluster/store/object"
	"mkt/publish/durable"
)

// Log is the backup of a transparency log, which one machine keeps: archives of files, and the head that all of them
// are at least as new as. Package commitlog decides which files they have.
type Log struct{ objects object.Set }

// Log returns the backup of the transparency log.
func (s *Store) Log() *Log { return &Log{s.objects} }

const (
	logDir  = "log/"
	logHead = logDir + "checkpoint"
)

// Head returns the signed head; nil if there is no backup.
func (l *Log) Head(ctx context.Context) ([]byte, error) {
	head, err := l.objects.Get(ctx, logHead)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return head, err
}

// SetHead stores the signed head.
func (l *Log) SetHead(ctx context.Context, head []byte) error {
	return l.objects.Put(ctx, logHead, durable.Bytes(head))
}

// Archive stores files of a data root in an archive.
func (l *Log) Archive(ctx context.Context, data durable.ReadFS, archive string, files []string) error {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, file := range files {
		content, err := durable.ReadFile(data, file, object.MaxObject)
		if err == nil {
			err = w.WriteHeader(pack.Header(file, tar.TypeReg, "", int64(len(content))))
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
	return l.objects.Put(ctx, logDir+archive, durable.Bytes(out.Bytes()))
}
