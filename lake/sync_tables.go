package lake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog/hadoop"
	icetable "github.com/apache/iceberg-go/table"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/table"
)

// tables lists the tables of the product to which each publication is appended, in that order.
func (s *syncer) tables() []appender {
	if s.Product == football.LiveIntelligence {
		return []appender{s.live, s.publications}
	}
	return []appender{s.fixtures, s.markets, s.changes, s.publications}
}

// all lists all tables of the product.
func (s *syncer) all() []appender {
	if s.Product == football.LiveIntelligence {
		return s.tables()
	}
	return append(s.tables(), s.steps)
}

// id returns the name of a table. Each product has publications of its own.
func (s *syncer) id(name string) icetable.Identifier {
	if s.Product == football.LiveIntelligence && name == "publications" {
		name = "live_publications"
	}
	return icetable.Identifier{s.ClientID, name}
}

// open opens the tables of the product, and makes those that are missing.
func (s *syncer) open(ctx context.Context, disk *durable.Disk) error {
	c, err := openCatalog(s.Lake, s.Location)
	if err != nil {
		return err
	}
	location := cmp.Or(s.Location, s.Lake)
	names := []string{"steps", "fixtures", "markets", "changes", "publications"}
	if s.Product == football.LiveIntelligence {
		names = []string{"live", "publications"}
	}
	for _, name := range names {
		folder := strings.Join(s.id(name), "/")
		err := errors.Join(durable.MkdirAllSync(disk, folder+"/data"), durable.MkdirAllSync(disk, folder+"/metadata"))
		if err == nil {
			err = removeClaims(disk, folder+"/metadata")
		}
		if err != nil {
			return fmt.Errorf("lake: %w", err)
		}
	}
	if s.publications, err = openTable[publication, recordRow](ctx, c, location, s.id("publications")); err != nil {
		return err
	}
	if s.Product == football.LiveIntelligence {
		s.live, err = openTable[publication, table.LiveRow](ctx, c, location, s.id("live"))
		return err
	}
	if s.steps, err = openTable[owner, table.StepRow](ctx, c, location, s.id("steps")); err != nil {
		return err
	}
	if s.fixtures, err = openTable[publication, table.FixtureRow](ctx, c, location, s.id("fixtures")); err != nil {
		return err
	}
	if s.markets, err = openTable[publication, table.MarketRow](ctx, c, location, s.id("markets")); err != nil {
		return err
	}
	s.changes, err = openTable[account, table.EventRow](ctx, c, location, s.id("changes"))
	return err
}

// removeClaims removes the claims of a run that was stopped while it named metadata. The library
// would wait a minute for that run.
func removeClaims(disk *durable.Disk, dir string) error {
	entries, err := disk.ReadDir(dir)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".claim") || strings.HasSuffix(e.Name(), "-version-hint.temp") {
			err = errors.Join(err, disk.Remove(dir+"/"+e.Name()))
		}
	}
	return err
}

// repairHint makes the hint of a table name its newest metadata, because some readers start
// there. A stopped run may have left an older one.
func repairHint(disk *durable.Disk, dir, metadata string) error {
	version, is := strings.CutPrefix(strings.TrimSuffix(filepath.Base(metadata), ".metadata.json"), "v")
	if !is {
		return nil // another program wrote it
	}
	const maxHint = 64
	hint := dir + "/version-hint.text"
	text, err := durable.ReadFile(disk, hint, maxHint)
	if err == nil && string(text) == version {
		return nil
	}
	return durable.Overwrite(disk, hint, []byte(version))
}

// openCatalog opens the tables in a folder.
func openCatalog(folder, location string) (*hadoop.Catalog, error) {
	warehouse, properties := folder, iceberg.Properties{}
	if location != "" {
		useLocation(location, folder)
		// Its commits are those of the local folder, which are safe.
		warehouse, properties["allow-unsafe-commits"] = location, "true"
	}
	c, err := hadoop.NewCatalog("mkt", warehouse, properties)
	if err != nil {
		return nil, fmt.Errorf("lake: %w", err)
	}
	return c, nil
}
