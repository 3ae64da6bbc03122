package reader

import (
	"context"
	"errors"
	"fmt"

	"mkt/internal/scratch"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// Check loads the snapshot in a folder with the settings that serve uses and
// discards the result. If it returns nil, serve can load the snapshot too. Private files
// go below the system's temporary folder.
func Check(ctx context.Context, dir string) (err error) {
	f, err := durable.OpenExisting(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	m, _, err := snapshot.ReadManifest(f, layout.ManifestFile)
	if err != nil {
		return err
	}
	if m.Product == football.LiveIntelligence {
		_, err = loadLive(ctx, f, ".", m)
		return err
	}
	private, err := scratch.Make("", "mkt-check-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, private.Remove()) }()
	l, err := load(ctx, f, ".", m, private.Dir, maxEngineMemory)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.engine.close()) }()
	return l.probe(ctx)
}

// probe reads every row of the engine.
func (l *loaded) probe(ctx context.Context) error {
	for table, want := range map[string]int{"fixture": l.index.fixtures(), "market": l.index.allMarkets()} {
		var read, size int
		err := l.engine.db.QueryRowContext(ctx, "SELECT count(*), coalesce(sum(octet_length(body)), 0)::BIGINT FROM d."+table).Scan(&read, &size)
		if err != nil {
			return err
		}
		if read != want || size < read {
			return fmt.Errorf("%w: the table of each %s returned %d of %d rows", ErrInvalid, table, read, want)
		}
	}
	return nil
}
