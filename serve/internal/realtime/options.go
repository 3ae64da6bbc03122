package realtime

import (
	"log/slog"
	"time"

	"mkt/publish/football"
	"mkt/serve/account"
	"mkt/serve/internal/api"
	"mkt/serve/internal/gate"
	"mkt/serve/internal/reader"
)

// Options of a service. Zero fields have the defaults that they name.
type Options struct {
	Gate    *gate.Gate
	Usage   *gate.Usage
	Library *reader.Library

	// Connected tells whether an account's provider connection is usable now.
	Connected func(*account.Account) bool
	// NewRequestID makes the id of a handshake or a message, for refusals and logs.
	NewRequestID func() string

	Tick        time.Duration // 0 = 2 s
	Connections int           // of one account at once; 0 = 8
	Channels    []api.Channel // offered; nil = all

	Now func() time.Time
	Log *slog.Logger
}

// Defaults.
const (
	defaultTick        = 2 * time.Second
	defaultConnections = 8
)

// pageSize is the most events of one push, and the most fixtures.
const pageSize = api.MaxLimit

// channel is one line of the table of channels.
type channel struct {
	name    api.Channel
	product football.Product
	feature string
	usage   string // the name that subscribes are counted under
}

// channels by number. The specification's order.
const (
	changes = iota
	live
	numChannels
)

var channels = [numChannels]channel{
	changes: {api.ChangesChannel, football.MarketEngine, account.Changes, "realtime/changes"},
	live:    {api.LiveChannel, football.LiveIntelligence, account.LiveMatch, "realtime/live"},
}

func (c channel) need() gate.Need { return gate.Need{Product: c.product, Feature: c.feature} }

// numbered finds a channel by its name, which is one of them.
func numbered(name api.Channel) int {
	for i := range channels {
		if channels[i].name == name {
			return i
		}
	}
	panic("no channel " + name)
}
