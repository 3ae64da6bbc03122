package evidence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"mkt/internal/dataset"
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
	datasets, err := g.datasetsFor(f, m)
	if err != nil {
		return err
	}
	o := offline.Options{Memory: int64(f.memory) << 20}
	var missing []error
	for _, p := range datasets {
		d, err := datasetOf(p, m)
		if errors.Is(err, snapshot.ErrUnknown) || errors.Is(err, errCollected) {
			missing = append(missing, err)
			continue
		}
		if err != nil {
			return err
		}
		defer d.close()
		o.Datasets = append(o.Datasets, d.Dataset)
	}
	if len(o.Datasets) == 0 {
		return errors.Join(missing...)
	}
	for _, err := range missing {
		fmt.Fprintf(g.Errs, "mkt: left out: %v\n", err)
	}
	query, err := g.query(f.sql)
	if err != nil {
		return err
	}
	answer := g.answer(f)
	err = offline.Query(ctx, o, query, answer)
	if errors.Is(err, offline.ErrSQL) {
		return terminal.AsUsage(err)
	}
	if ended := answer.end(); err == nil {
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

// asked is a dataset that a query reads.
type asked struct {
	offline.Dataset
	close func()
}

var errCollected = errors.New("its snapshot is not kept any more; mkt inspect lists those that are")

func datasetOf(p dataset.Dataset, m snapshot.Moment) (asked, error) {
	dir, err := filepath.Abs(p.Dir())
	if err != nil {
		return asked{}, err
	}
	root, err := p.Open()
	if err != nil {
		return asked{}, err
	}
	c, err := snapshot.Find(root, m)
	if err == nil {
		var kept bool
		if kept, err = snapshot.IsKept(root, c); err == nil && !kept {
			err = fmt.Errorf("version %d, %s: %w", c.Version, c.CycleID, errCollected)
		}
	}
	if err != nil {
		root.Close()
		return asked{}, fmt.Errorf("%s: %w", p, err)
	}
	return asked{offline.Dataset{Dir: dir, Root: root, Commit: c}, func() { root.Close() }}, nil
}
