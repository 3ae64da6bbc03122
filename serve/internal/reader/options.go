package reader

import (
	"context"
	"log/slog"
	"time"

	"mkt/publish/football"
	"mkt/serve/asof"
)

// Options configure a library.
type Options struct {
	DataDir  string // the data root; nothing is written there
	CacheDir string // private: engines' files, bounded; "" = a temporary folder
	// NotesDir holds notes about loads in progress, so that after a restart a publication
	// that killed the process is known. If it is empty, the notes are kept below CacheDir
	// for as long as that exists.
	NotesDir string
	Clients  func() []string
	// Fetch copies publications from elsewhere to the data root, for a client that may
	// have seen them there; nil if everything is published to the data root itself.
	Fetch    func(ctx context.Context, clientID string, p football.Product) error
	Products []football.Product
	Loaded   func(clientID string) // is called when another publication is served; must not wait; nil = none
	Poll     time.Duration         // interval of refreshes; live datasets are refreshed twice as often; 0 = a second
	// Paths: the indexes that paths of prices need are made before the first one is asked for.
	Paths bool
	// Clock, if it shows the past, decides which publication of every dataset is the newest, and as
	// of when the runs are reported. nil = the present.
	Clock *asof.Clock
	Now   func() time.Time
	Log   *slog.Logger
}
