package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"mkt/scripts/internal/cost"
)

// measureCycle measures transform and publish of two accounts, and the disk usage of their
// cycles.
func measureCycle(ctx context.Context, b *bench) (err error) {
	w, err := newWorld(ctx, b.options, 2, b.fixtures)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	received := w.counts["bytes"]
	if err := b.transforms(ctx, w, fmt.Sprintf("transform, whole stage, %.0f MB, no earlier cycle", received/1e6)); err != nil {
		return err
	}
	if _, err := w.step(ctx, w.Installation, "transform"); err != nil {
		return err
	}
	selections := w.counts["selections"]
	b.note("A cycle of two accounts: %.1f MB of JSON received, %.0f selections of %.0f markets of %.0f fixtures.", received/1e6, selections, w.counts["markets"], w.counts["fixtures"])
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
	if err := b.transforms(ctx, w, "the same an hour later, prices moved"); err != nil {
		return err
	}
	if _, err := w.step(ctx, w.Installation, "transform"); err != nil {
		return err
	}
	return b.publishes(ctx, w, "publish of it, an hour after the first")
}

// transforms measures the transform of the newest cycle and the work of DuckDB on its
// payloads, in turn.
func (b *bench) transforms(ctx context.Context, w *world, what string) (err error) {
	payloads, err := os.MkdirTemp("", "mkt-payloads-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(payloads)) }()
	patterns, err := w.unpack(payloads)
	if err != nil {
		return err
	}
	duck := b.hasDuckDB(ctx)
	var ours, plain, maps figures
	for range b.rounds {
		c, err := b.inCopy(ctx, w, "transform")
		if err != nil {
			return err
		}
		ours = append(ours, c.Seconds)
		if !duck {
			continue
		}
		for _, d := range []struct {
			command string
			figures *figures
		}{{"payloads", &plain}, {"maps", &maps}} {
			c, err := duckDB(ctx, nil, append([]string{d.command}, patterns...)...)
			if err != nil {
				return err
			}
			*d.figures = append(*d.figures, c.Seconds)
		}
	}
	r := row{what: what + ": processor time", ours: ours.seconds(), aim: "1.0 s; below DuckDB"}
	if duck {
		r.beside = "DuckDB `read_json` → Parquet " + plain.seconds() + "; told to expect maps " + maps.seconds()
		r.ratio = ours.over(plain) + "; " + ours.over(maps)
	}
	b.add(r)
	return nil
}

// inCopy measures a step in a copy of the installation, which stays as it was.
func (b *bench) inCopy(ctx context.Context, w *world, step string) (c cost.Cost, err error) {
	in, err := w.Copy(ctx)
	if err != nil {
		return c, err
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
		c, err := b.inCopy(ctx, w, "publish")
		if err != nil {
			return err
		}
		ours = append(ours, c.Seconds)
		if duck {
			var wrote struct{ Seconds float64 }
			if _, err := duckDB(ctx, &wrote, append([]string{"rows"}, files...)...); err != nil {
				return err
			}
			beside = append(beside, wrote.Seconds)
		}
	}
	r := row{what: fmt.Sprintf("%s, %.0f of %.0f fixtures refreshed: processor time", what, w.counts["refreshed"], w.counts["fixtures"]), ours: ours.seconds(),
		ratio: ours.over(beside), aim: "what a check of the loaded snapshot costs"}
	if duck {
		r.beside = "DuckDB writes the same rows once " + beside.seconds()
	}
	b.add(r)
	return nil
}

// measureMemory measures the resident memory of transform and of a whole cycle, with the largest
// allowed cycle of an account and a quarter of it.
func measureMemory(ctx context.Context, b *bench) error {
	large, err := b.peak(ctx, b.largest)
	if err != nil {
		return err
	}
	small, err := b.peak(ctx, b.largest/4)
	if err != nil {
		return err
	}
	for _, r := range []struct {
		command      string
		large, small int
	}{{"transform", large.transform, small.transform}, {"cycle", large.cycle, small.cycle}} {
		b.add(row{fmt.Sprintf("`mkt %s` of one account with %.0f selections: resident memory at most", r.command, large.selections), fmt.Sprintf("%d MiB", r.large),
			fmt.Sprintf("with %.0f selections %d MiB", small.selections, r.small), fmt.Sprintf("%.2f", float64(r.large)/float64(r.small)), "300 MiB, ratio near 1"})
	}
	return nil
}

// peak is the resident memory of two commands at most, in MiB, and the size of the cycle.
type peak struct {
	transform, cycle int
	selections       float64
}

func (b *bench) peak(ctx context.Context, fixtures int) (p peak, err error) {
	b.progress("memory: %d fixtures", fixtures)
	w, err := newWorld(ctx, b.options, 1, fixtures)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	c, err := b.inCopy(ctx, w, "transform")
	if err != nil {
		return p, err
	}
	p.transform, p.selections = c.Megabytes, w.counts["selections"]
	c, err = w.step(ctx, w.Installation, "cycle")
	p.cycle = c.Megabytes
	return p, err
}
