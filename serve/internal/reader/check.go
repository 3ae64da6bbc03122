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

// Check loads the snapshot in a folder with the settings of serving and throws
// the result away: nil means that serve will be able to. A folder without a
// manifest is checked as it is. The private files go below parent, "" being the
// system's temporary folder.
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
	l, err := load(ctx, f, ".", m, bounds{scratch: private.Dir, memory: mostMemory, workers: 1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.engine.close()) }()
	return l.probe(ctx)
}

// isLive tells whether a folder holds a live snapshot: its manifest says so, or
// without one, its tables do.
func isLive(f durable.FS, m snapshot.Manifest) (bool, error) {
	if m.Product != "" {
		return m.Product == football.LiveIntelligence, nil
	}
	_, err := f.Stat(layout.LiveFile)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func manifestIn(f durable.FS) (snapshot.Manifest, error) {
	const most = 32 << 20
	data, err := durable.ReadFile(f, layout.ManifestFile, most)
	if errors.Is(err, fs.ErrNotExist) {
		return snapshot.Manifest{}, nil
	}
	if err != nil {
		return snapshot.Manifest{}, err
	}
	return snapshot.ParseManifest(data)
}

// probe reads every page once, as requests would.
func (l *loaded) probe(ctx context.Context) error {
	v := &View{index: l.index, engine: l.engine}
	fixtures := l.index.fixtures()
	markets := int(l.index.first[fixtures])
	for table, rows := range map[string]int{fixtureChunks: fixtures, marketChunks: markets} {
		read := 0
		err := v.each(ctx, table, 0, rows, rows, func(int, *entry) bool { read++; return true })
		if err != nil {
			return err
		}
		if read != rows {
			return fmt.Errorf("%w: %s gave %d of %d rows", ErrUnfit, table, read, rows)
		}
	}
	return nil
}
