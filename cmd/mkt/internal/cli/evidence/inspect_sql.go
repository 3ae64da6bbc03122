package evidence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"mkt/internal/dataset"
	"mkt/internal/past"
	"mkt/internal/terminal"
	"mkt/publish/snapshot"
	"mkt/serve/offline"
)

func (g *Group) inspectSQL(ctx context.Context, f inspectFlags) error {
	m := snapshot.Newest
	if f.at != "" {
		var err error
		if m, err = g.MomentArg("--at", f.at); err != nil {
			return err
		}
	}
	query, err := g.query(f.sql)
	if err != nil {
		return err
	}
	return g.ask(ctx, f.Filter, m, offline.Options{Memory: int64(f.memory) << 20}, query, g.answer(f))
}

// ask runs a query over the publications of an account at a moment. A product that has none then is
// left out, with a line on the standard error.
func (g *Group) ask(ctx context.Context, w dataset.Filter, m snapshot.Moment, o offline.Options, query string, to answerer) error {
	datasets, err := g.datasetsFor(w, m)
	if err != nil {
		return err
	}
	var missing []error
	for _, p := range datasets {
		dir, err := filepath.Abs(p.Dir())
		if err != nil {
			return err
		}
		root, commit, err := past.Open(p, m)
		if errors.Is(err, snapshot.ErrUnknown) || errors.Is(err, past.ErrCollected) {
			missing = append(missing, err)
			continue
		}
		if err != nil {
			return err
		}
		defer root.Close()
		o.Datasets = append(o.Datasets, offline.Dataset{Dir: dir, Root: root, Commit: commit})
	}
	if len(o.Datasets) == 0 {
		return errors.Join(missing...)
	}
	for _, err := range missing {
		fmt.Fprintf(g.Errs, "mkt: left out: %v\n", err)
	}
	err = offline.Query(ctx, o, query, to)
	if errors.Is(err, offline.ErrSQL) {
		return terminal.AsUsage(err)
	}
	if errors.Is(err, errEnough) {
		err = nil
	}
	if ended := to.end(); err == nil {
		err = ended
	}
	return err
}

// mostQuery bounds a query from the standard input, in bytes.
const mostQuery = 1 << 20

func (g *Group) query(text string) (string, error) {
	if text != "-" {
		return text, nil
	}
	data, err := io.ReadAll(io.LimitReader(g.In, mostQuery+1))
	if err == nil && len(data) > mostQuery {
		err = terminal.Usagef("--sql -: the query is longer than %s", terminal.Size(mostQuery))
	}
	return string(data), err
}
