package commitlog

import (
	"context"
	"fmt"
	"strings"

	"mkt/internal/cluster/store"
	"mkt/internal/receipts/transparency"
	"mkt/publish/durable"
)

// BackUp stores a log with a head, below a data root, of which the backup has a beginning, or nothing: an archive of each
// full tile, and one with all other files. The head comes last, so that the next call stores what an interrupted one did
// not.
func BackUp(ctx context.Context, to *store.Log, data durable.ReadFS, head transparency.Signed) error {
	there, err := to.Head(ctx)
	if err != nil || string(there) == string(head.Note) {
		return err
	}
	var before transparency.Checkpoint
	if there != nil {
		text, _, _ := strings.Cut(string(there), "\n\n")
		if before, err = transparency.ParseCheckpoint(text + "\n"); err != nil {
			return fmt.Errorf("object store: log/checkpoint: %w", err)
		}
	}
	for n := transparency.TilesOf(before.Size); n < transparency.TilesOf(head.Size); n++ {
		if err := to.Archive(ctx, data, fmt.Sprintf("%020d.tar", n), transparency.TileFiles(n)); err != nil {
			return err
		}
	}
	last, err := lastFiles(data, head.Size)
	if err == nil {
		err = to.Archive(ctx, data, "last.tar", last)
	}
	if err != nil {
		return err
	}
	return to.SetHead(ctx, head.Note)
}

// lastFiles returns the files of a log of a size that are not those of a full tile, without those that it may lack and
// does.
func lastFiles(data durable.ReadFS, size int64) (files []string, err error) {
	for _, file := range transparency.LastFiles(size) {
		if transparency.MayLack(file) {
			there, err := durable.Exists(data, file)
			if err != nil {
				return nil, err
			}
			if !there {
				continue
			}
		}
		files = append(files, file)
	}
	return files, nil
}
