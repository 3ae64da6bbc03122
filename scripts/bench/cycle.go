package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/klauspost/compress/zstd"

	"mkt/scripts/internal/installation"
)

// world is an installation of accounts, each with a simulated provider of its own.
type world struct {
	*installation.Installation
	tokens   []string      // of the accounts
	payloads string        // folder of the archived answers, decompressed
	hour     time.Duration // how long an hour of the simulated world takes
	fetched  time.Time
	counts   map[string]float64 // of the last fetch and transform, all accounts together
}

// newWorld connects accounts and archives a cycle of each.
func newWorld(ctx context.Context, o options, accounts, fixtures int) (_ *world, err error) {
	in, err := installation.New(ctx, o.mkt)
	if err != nil {
		return nil, err
	}
	w := &world{Installation: in, payloads: filepath.Join(in.Dir, "payloads"), hour: time.Hour / time.Duration(o.speed)}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	for i := range accounts {
		provider, err := in.Listen("simulate", "--seed", strconv.Itoa(i+1), "--fixtures", strconv.Itoa(fixtures), "--quota", "10000000", "--speed", strconv.Itoa(o.speed))
		if err != nil {
			return nil, err
		}
		token, err := in.AddTenant(ctx, fmt.Sprintf("account-%d", i+1), "market_engine", provider)
		if err != nil {
			return nil, err
		}
		w.tokens = append(w.tokens, token)
	}
	return w, w.fetch(ctx)
}

// fetch archives a cycle of every account. If there is one already, it waits until an hour
// of the simulated world has passed.
func (w *world) fetch(ctx context.Context) error {
	if !w.fetched.IsZero() {
		select {
		case <-time.After(time.Until(w.fetched.Add(w.hour))):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	w.fetched = time.Now()
	_, err := w.step(ctx, w.Installation, "fetch")
	return err
}

// step runs a step of all accounts, one after the other, in an installation, and returns its
// processor time and memory.
func (w *world) step(ctx context.Context, in *installation.Installation, step string) (measured, error) {
	args := []string{step, "--all"}
	if step != "fetch" { // which waits for the provider most of the time
		args = append(args, "--parallel", "1")
	}
	out, c, err := in.Measure(ctx, args...)
	if err != nil {
		return measured{}, err
	}
	w.counts = map[string]float64{}
	for line := range bytes.Lines(out) {
		var of struct {
			OK     bool
			Counts map[string]any
		}
		if err := json.Unmarshal(line, &of); err != nil || !of.OK {
			return measured{}, fmt.Errorf("mkt %s printed %s", step, line)
		}
		for name, v := range of.Counts {
			if n, ok := v.(float64); ok {
				w.counts[name] += n
			}
		}
	}
	if step == "fetch" && w.counts["failed"] > 0 {
		return measured{}, fmt.Errorf("%.0f fixtures were not answered: the cycle is larger than its limit", w.counts["failed"])
	}
	return measured{c.Seconds, c.Megabytes}, nil
}

// measured is what a step cost.
type measured struct {
	seconds   float64
	megabytes int
}

// unpack decompresses the archived answers of the newest cycles into a folder for each
// endpoint, and returns a pattern for each.
func (w *world) unpack() (patterns []string, err error) {
	if err := os.RemoveAll(w.payloads); err != nil {
		return nil, err
	}
	indexes, err := newest(w, "raw", "fetch.json")
	if err != nil {
		return nil, err
	}
	for account, index := range indexes {
		endpoints, err := w.unpackCycle(index, account)
		if err != nil {
			return nil, err
		}
		for _, e := range endpoints {
			if pattern := filepath.Join(w.payloads, e, "*.json"); !slices.Contains(patterns, pattern) {
				patterns = append(patterns, pattern)
			}
		}
	}
	return patterns, nil
}

func (w *world) unpackCycle(file string, account int) (endpoints []string, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var index struct {
		Responses []struct{ Endpoint, File string }
	}
	if err := json.Unmarshal(text, &index); err != nil {
		return nil, err
	}
	for n, r := range index.Responses {
		endpoint := path.Base(r.Endpoint)
		endpoints = append(endpoints, endpoint)
		to := filepath.Join(w.payloads, endpoint, fmt.Sprintf("%d-%06d.json", account, n))
		if err := decompress(filepath.Join(filepath.Dir(file), r.File), to); err != nil {
			return nil, err
		}
	}
	return endpoints, nil
}

func decompress(from, to string) (err error) {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	r, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	defer r.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = io.Copy(out, r)
	return err
}

// measureCycle measures transform and publish of two accounts, and the disk that their
// cycles take.
func measureCycle(ctx context.Context, b *bench) (err error) {
	w, err := newWorld(ctx, b.options, 2, b.fixtures)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	received := w.counts["bytes"]
	cold, beside, err := b.transforms(ctx, w)
	if err != nil {
		return err
	}
	if _, err := w.step(ctx, w.Installation, "transform"); err != nil {
		return err
	}
	selections := w.counts["selections"]
	b.note("A cycle of two accounts: %.1f MB of JSON received, %.0f selections of %.0f markets of %.0f fixtures.", received/1e6, selections, w.counts["markets"], w.counts["fixtures"])
	b.add(row{fmt.Sprintf("transform, whole stage, %.0f MB, no earlier cycle: processor time", received/1e6), cold.seconds(), "DuckDB `read_json` → Parquet " + beside.seconds(), cold.over(beside), "1.0 s; below DuckDB"})
	if err := b.publishes(ctx, w, "publish of it, the first"); err != nil {
		return err
	}
	if _, err := w.step(ctx, w.Installation, "publish"); err != nil {
		return err
	}
	if err := b.disk(ctx, w, received, selections); err != nil {
		return err
	}

	b.progress("cycle: an hour later")
	if err := w.fetch(ctx); err != nil {
		return err
	}
	warm, beside, err := b.transforms(ctx, w)
	if err != nil {
		return err
	}
	b.add(row{"the same an hour later, prices moved", warm.seconds(), "the same " + beside.seconds(), warm.over(beside), "1.0 s; below DuckDB"})
	if _, err := w.step(ctx, w.Installation, "transform"); err != nil {
		return err
	}
	return b.publishes(ctx, w, "publish of it, an hour after the first")
}

// transforms measures the transform of the newest cycle and what DuckDB does with its
// payloads, in turn.
func (b *bench) transforms(ctx context.Context, w *world) (ours, beside figures, err error) {
	patterns, err := w.unpack()
	if err != nil {
		return nil, nil, err
	}
	duck := b.hasDuckDB(ctx)
	for range b.rounds {
		m, err := b.inCopy(ctx, w, "transform")
		if err != nil {
			return nil, nil, err
		}
		ours = append(ours, m.seconds)
		if duck {
			c, err := duckDB(ctx, nil, append([]string{"payloads"}, patterns...)...)
			if err != nil {
				return nil, nil, err
			}
			beside = append(beside, c.Seconds)
		}
	}
	return ours, beside, os.RemoveAll(w.payloads)
}

// inCopy measures a step in a copy of the installation, which stays as it was.
func (b *bench) inCopy(ctx context.Context, w *world, step string) (m measured, err error) {
	in, err := w.Copy(ctx)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	return w.step(ctx, in, step)
}

// publishes measures the publication of the newest cycle, in which every fixture was
// refreshed, and writing the same rows, in turn.
func (b *bench) publishes(ctx context.Context, w *world, what string) error {
	files, err := newest(w, "canonical", "*.parquet")
	if err != nil {
		return err
	}
	duck := b.hasDuckDB(ctx)
	var ours, beside figures
	for range b.rounds {
		m, err := b.inCopy(ctx, w, "publish")
		if err != nil {
			return err
		}
		ours = append(ours, m.seconds)
		if duck {
			var wrote struct{ Seconds float64 }
			if _, err := duckDB(ctx, &wrote, append([]string{"rows"}, files...)...); err != nil {
				return err
			}
			beside = append(beside, wrote.Seconds)
		}
	}
	b.add(row{fmt.Sprintf("%s, %.0f of %.0f fixtures refreshed: processor time", what, w.counts["refreshed"], w.counts["fixtures"]), ours.seconds(),
		"DuckDB writes the same rows once " + beside.seconds(), ours.over(beside), "what a check of the loaded snapshot costs"})
	return nil
}

// newest returns the files of the newest cycles below a folder of each account, by the
// patterns of their names.
func newest(w *world, folder string, names ...string) (files []string, err error) {
	roots, err := filepath.Glob(filepath.Join(w.Dir, "data", "client_id=*", "product=market_engine"))
	if err != nil {
		return nil, err
	}
	for _, root := range roots {
		cycles, err := filepath.Glob(filepath.Join(root, folder, "cycle=*")) // sorted by name, which is by time
		if err != nil || len(cycles) == 0 {
			return nil, fmt.Errorf("%s has no cycle in %s", root, folder)
		}
		for _, name := range names {
			found, err := filepath.Glob(filepath.Join(cycles[len(cycles)-1], name))
			if err != nil || len(found) == 0 {
				return nil, fmt.Errorf("%s has no %s", cycles[len(cycles)-1], name)
			}
			files = append(files, found...)
		}
	}
	return files, nil
}

// disk adds the rows of the bytes that the first publication takes on the disk.
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

// onDisk adds up the bytes of files below a data root by the folder of the product's root.
// Files of the root itself and of other folders count as "". A file with several names
// counts once, for the folder that comes first in the way of the data.
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

// measureMemory measures the resident memory of transform and of a whole cycle, with the
// largest cycle that an account may have and a quarter of it.
func measureMemory(ctx context.Context, b *bench) error {
	var transform, cycle [2]int
	var selections [2]float64
	for i, fixtures := range []int{b.largest, b.largest / 4} {
		b.progress("memory: %d fixtures", fixtures)
		if err := func() (err error) {
			w, err := newWorld(ctx, b.options, 1, fixtures)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, w.Close()) }()
			m, err := b.inCopy(ctx, w, "transform")
			if err != nil {
				return err
			}
			transform[i], selections[i] = m.megabytes, w.counts["selections"]
			if m, err = w.step(ctx, w.Installation, "cycle"); err != nil {
				return err
			}
			cycle[i] = m.megabytes
			return nil
		}(); err != nil {
			return err
		}
	}
	for _, r := range []struct {
		what  string
		peaks [2]int
	}{{"`mkt transform`", transform}, {"`mkt cycle`", cycle}} {
		b.add(row{fmt.Sprintf("%s of one account with %.0f selections: resident memory at most", r.what, selections[0]), fmt.Sprintf("%d MiB", r.peaks[0]),
			fmt.Sprintf("with %.0f selections %d MiB", selections[1], r.peaks[1]), fmt.Sprintf("%.2f", float64(r.peaks[0])/float64(r.peaks[1])), "300 MiB, ratio near 1"})
	}
	return nil
}
