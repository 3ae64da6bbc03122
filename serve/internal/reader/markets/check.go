package markets

import (
	"context"
	"errors"
	"fmt"

	"mkt/internal/scratch"
	"mkt/publish/durable"
	"mkt/publish/snapshot"
	"mkt/serve/internal/reader/engine"
)

// Check loads the snapshot in a folder, reads all rows, and discards them. Private files go below the
// system's temporary folder.
func Check(ctx context.Context, f durable.ReadFS, dir string, m snapshot.Manifest) (err error) {
	private, err := scratch.Make("", "mkt-check-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, private.Remove()) }()
	t, e, err := Load(ctx, f, dir, m, private.Dir, engine.MaxMemory)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	return t.probe(ctx)
}

// probe reads every row of the engine.
func (t *Tables) probe(ctx context.Context) error {
	for table, want := range map[string]int{"fixture": t.FixtureCount(), "market": t.MarketCount()} {
		var read, size int
		err := t.engine.DB.QueryRowContext(ctx, "SELECT count(*), coalesce(sum(octet_length(body)), 0)::BIGINT FROM d."+table).Scan(&read, &size)
		if err != nil {
			return err
		}
		if read != want || size < read {
			return fmt.Errorf("%w: the table of each %s returned %d of %d rows", snapshot.ErrInvalid, table, read, want)
		}
	}
	return nil
}
