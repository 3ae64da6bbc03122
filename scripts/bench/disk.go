package main

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// disk adds rows about the bytes of the first publication on the disk.
func (b *bench) disk(ctx context.Context, w *world, received, selections float64) error {
	bytes, err := onDisk(filepath.Join(w.Dir, "data"))
	if err != nil {
		return err
	}
	all, parts := 0.0, []string{}
	for _, folder := range []string{"raw", "canonical", "snapshots", "changes", ""} {
		n := float64(bytes[folder])
		all += n
		if folder == "" {
			folder = "other"
		}
		parts = append(parts, fmt.Sprintf("%s %.3f", folder, n/received))
	}
	b.add(row{"disk of the first cycle, bytes a byte received; a file with several links counts once, where it is named first",
		fmt.Sprintf("%.2f: %s", all/received, strings.Join(parts, ", ")), fmt.Sprintf("raw alone %.2f", float64(bytes["raw"])/received), fmt.Sprintf("%.2f", all/float64(bytes["raw"])), "0.45; 0.3 without the canonical files"})

	if !b.hasDuckDB(ctx) {
		return nil
	}
	files, err := newest(w, "snapshots", "*.parquet")
	if err != nil {
		return err
	}
	columns := map[string]float64{}
	if _, err := duckDB(ctx, &columns, append([]string{"columns"}, files...)...); err != nil {
		return err
	}
	ids, sum := 0.0, 0.0
	for name, n := range columns {
		sum += n
		if path.Base(strings.ReplaceAll(name, ", ", "/")) == "selection_id" {
			ids += n
		}
	}
	b.add(row{what: "selection ids in the tables of the snapshot", ours: fmt.Sprintf("%.0f %% of %.1f MB", 100*ids/sum, sum/1e6), beside: fmt.Sprintf("%.1f bytes each", ids/selections)})
	return nil
}

// onDisk adds up the bytes of files below a data root by the folder of the product's root. Files
// of the root itself and of other folders count as "". A file with several names counts once, for
// the folder that comes first in the flow of the data.
func onDisk(root string) (map[string]int64, error) {
	type file struct {
		order  int
		folder string
		bytes  int64
	}
	order := map[string]int{"raw": 1, "canonical": 2, "snapshots": 3, "changes": 4}
	files := map[uint64]file{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		f := file{order: 5, bytes: info.Size()}
		if parts := strings.Split(rel, string(filepath.Separator)); len(parts) > 3 && order[parts[2]] > 0 {
			f.order, f.folder = order[parts[2]], parts[2]
		}
		inode := info.Sys().(*syscall.Stat_t).Ino
		if old, ok := files[inode]; !ok || f.order < old.order {
			files[inode] = f
		}
		return nil
	})
	bytes := map[string]int64{}
	for _, f := range files {
		bytes[f.folder] += f.bytes
	}
	return bytes, err
}
