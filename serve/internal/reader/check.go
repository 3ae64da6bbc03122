package reader

import (
	"context"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/serve/internal/reader/feed"
	"mkt/serve/internal/reader/markets"
)

// Check loads the snapshot in a folder with the settings that serve uses and
// discards the result. If it returns nil, serve can load the snapshot too. Private files
// go below the system's temporary folder.
func Check(ctx context.Context, dir string) error {
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
		_, err = feed.Load(ctx, f, ".", m)
		return err
	}
	return markets.Check(ctx, f, ".", m)
}
