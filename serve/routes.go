package serve

import (
	"errors"

	"github.com/labstack/echo/v4"

	"mkt/publish/football"
	"mkt/serve/account"
	"mkt/serve/internal/api"
	"mkt/serve/internal/gate"
)

var (
	needFixtures = gate.Need{Product: football.MarketEngine, Feature: account.Fixtures}
	needMarkets  = gate.Need{Product: football.MarketEngine, Feature: account.Markets}
	needChanges  = gate.Need{Product: football.MarketEngine, Feature: account.Changes}

	needLive     = gate.Need{Product: football.LiveIntelligence}
	needMatch    = gate.Need{Product: football.LiveIntelligence, Feature: account.LiveMatch}
	needMomentum = gate.Need{Product: football.LiveIntelligence, Feature: account.Momentum}
	needStats    = gate.Need{Product: football.LiveIntelligence, Feature: account.AdvancedStats}
)

var table = []route{
	{path: "/status", name: "/status", open: true, handle: (*call).status},
	{path: "/schema", name: "/schema", handle: (*call).schema},
	{path: "/fixtures", name: "/fixtures", need: needFixtures, params: []string{"limit", "cursor", "league", "starts_after", "starts_before"}, handle: (*call).fixtures},
	{path: "/fixtures/:id", name: "/fixtures/{id}", need: needFixtures, handle: (*call).fixture},
	{path: "/fixtures/:id/markets", name: "/fixtures/{id}/markets", need: needMarkets, params: []string{"limit", "cursor", "market", "period"}, handle: (*call).markets},
	{path: "/fixtures/:id/markets/:market_id", name: "/fixtures/{id}/markets/{market_id}", need: needMarkets, params: []string{"period", "subject"}, handle: (*call).market},
	{path: "/changes", name: "/changes", need: needChanges, params: []string{"limit", "cursor"}, handle: (*call).changes},
	{path: "/live", name: "/live", need: needLive, params: []string{"limit", "cursor"}, handle: (*call).live},
	{path: "/live/:id", name: "/live/{id}", need: needMatch, handle: (*call).liveFixture},
	{path: "/live/:id/timeline", name: "/live/{id}/timeline", need: needMatch, handle: (*call).liveTimeline},
	{path: "/live/:id/momentum", name: "/live/{id}/momentum", need: needMomentum, handle: (*call).liveMomentum},
	{path: "/live/:id/stats", name: "/live/{id}/stats", need: needStats, handle: (*call).liveStats},
	{path: "/account", name: "/account", handle: (*call).account},
	{path: "/account/provider", name: "/account/provider", handle: (*call).provider},
	{path: "/account/usage", name: "/account/usage", handle: (*call).accountUsage},
}

// routeNames returns the names of the table.
func routeNames() (names []string) {
	for i := range table {
		names = append(names, table[i].name)
	}
	return names
}

// extensionTable has the routes besides version 1, by the name of their extension. Each is registered if
// the server has the extension, and answers the accounts that have it, too.
var extensionTable = map[string][]route{
	account.History: {
		{path: api.HistoryRoot + "/fixtures/:id/markets/:market_id", name: "/ext/history/v0/fixtures/{id}/markets/{market_id}", need: needMarkets,
			extension: account.History, params: []string{"limit", "cursor", "from", "to", "at"}, handle: (*call).pricePath},
	},
}

// routes registers the table in echo, which is only used to find routes and writes no
// answers of its own.
func (s *server) routes() {
	e := echo.New()
	e.HTTPErrorHandler = func(err error, c echo.Context) { fail(c, err) }
	for i := range table {
		e.GET(api.Root+table[i].path, enter(&table[i]))
	}
	for _, name := range s.extensions {
		for i := range extensionTable[name] {
			e.GET(extensionTable[name][i].path, enter(&extensionTable[name][i]))
		}
	}
	s.echo = e
}

// fail writes the refusal for an error. Echo's own error means that there is no such
// route.
func fail(c echo.Context, err error) {
	answer := c.Response().Writer.(*call)
	if answer.Status != 0 {
		return // the client disconnected while it was being answered
	}
	var unrouted *echo.HTTPError
	if errors.As(err, &unrouted) {
		err = api.Refuse(api.NotFound)
		if _, isSocket := c.QueryParams()["EIO"]; isSocket { // Engine.IO's version, which each client of it sends
			err = api.Refusef(api.NotFound, "the socket is at the path %s", realtimePath)
		}
	}
	answer.Refuse(api.AsError(err))
}
