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

// Options configure a service. Comments name the defaults of zero fields.
type Options struct {
	Gate    *gate.Gate
	Sockets gate.Sockets
	Usage   *gate.Usage
	Library *reader.Library

	// Connected reports whether an account's provider connection can be used now for a
	// product.
	Connected func(*account.Account, football.Product) bool
	// NewRequestID returns the id of a handshake or a message, for refusals and logs.
	NewRequestID func() string

	// Observe is called after each handshake and message of an account, with the error if it was
	// refused; it may be nil.
	Observe func(clientID, message, requestID string, refused *api.Error)

	Tick        time.Duration // 0 = 2 s
	Connections int           // maximum for one account; 0 = 8
	Channels    []api.Channel // to offer; nil = all

	Now func() time.Time
	Log *slog.Logger
}

const (
	defaultTick        = 2 * time.Second
	defaultConnections = 8
)

// pageSize is the maximum number of events, and of fixtures, in one push.
const pageSize = api.MaxLimit

type channel struct {
	name    api.Channel
	product football.Product
	feature string
	usage   string // the name under which subscribes are counted
}

// Indexes of the channels, in the order of the specification.
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

// channelIndex returns the index of a channel, which must exist.
func channelIndex(name api.Channel) int {
	for i := range channels {
		if channels[i].name == name {
			return i
		}
	}
	panic("no channel " + name)
}
