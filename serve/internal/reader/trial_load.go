package reader

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"mkt/internal/scratch"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// Check loads the snapshot in a folder with the settings that serve uses and
// discards the result. If it returns nil, serve can load the snapshot too. A folder
// without a manifest is checked as it is. Private files go below parent, or below
// the system's temporary folder if parent is empty.
func Check(ctx context.Context, dir, parent string) (err error) {
	f, err := durable.OpenExisting(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	m, err := manifestIn(f)
	if err != nil {
		return err
	}
	if isLive, err := isLive(f, m); err != nil || isLive {
		if err == nil {
			_, err = loadLive(ctx, f, ".", m)
		}
		return err
	}
	private, err := scratch.Make(parent, "mkt-check-")
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

// isLive reports whether a folder holds a live snapshot, according to its manifest
// or, if it has none, to its tables.
func isLive(f durable.ReadFS, m snapshot.Manifest) (bool, error) {
	if m.Product != "" {
		return m.Product == football.LiveIntelligence, nil
	}
	_, err := f.Stat(layout.LiveFile)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func manifestIn(f durable.ReadFS) (snapshot.Manifest, error) {
	const maxManifest = 32 << 20
	data, err := durable.ReadFile(f, layout.ManifestFile, maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return snapshot.Manifest{}, nil
	}
	if err != nil {
		return snapshot.Manifest{}, err
	}
	return snapshot.ParseManifest(data)
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
