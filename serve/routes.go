package serve

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"mkt/internal/listen"
	"mkt/publish/football"
	"mkt/serve/account"
	"mkt/serve/internal/api"
	"mkt/serve/internal/gate"
)

type route struct {
	path   string // below api.Root, as echo writes it
	name   string // as the specification writes it, for the log, usage and documents
	open   bool   // the token is optional
	need   gate.Need
	params []string // known query parameters; others are ignored
	handle func(*call) error
	// extension is what the account must have besides; "" in version 1.
	extension string
}

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

// routes registers the table in echo, which is only used to find routes and writes no
// answers of its own.
func (s *server) routes() {
	e := echo.New()
	e.HTTPErrorHandler = func(err error, c echo.Context) { fail(c, err) }
	for i := range table {
		e.GET(api.Root+table[i].path, s.enter(&table[i]))
	}
	for _, name := range s.extensions {
		for i := range extensions[name] {
			e.GET(extensions[name][i].path, s.enter(&extensions[name][i]))
		}
	}
	s.echo = e
}

// normalizePath gives the path of a request the one form for the router, which compares
// bytes: nothing is percent-encoded without need. Paths with no other difference
// are the same (RFC 3986, section 6.2.2). An encoded slash stays encoded and does not
// separate segments.
func normalizePath(u *url.URL) {
	sent := u.RawPath
	if sent == "" {
		sent = u.EscapedPath()
	}
	if !strings.Contains(sent, "%") {
		return
	}
	segments := strings.Split(sent, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(decoded(s))
	}
	u.RawPath = strings.Join(segments, "/")
}

func decoded(segment string) string {
	plain, err := url.PathUnescape(segment)
	if err != nil {
		return segment // unreachable: net/http refuses a path with an invalid escape
	}
	return plain
}

// fail writes the refusal for an error. Echo's own error means that there is no such
// route.
func fail(c echo.Context, err error) {
	a := c.Response().Writer.(*answer)
	if a.status != 0 {
		return // the client disconnected while it was being answered
	}
	var unrouted *echo.HTTPError
	if errors.As(err, &unrouted) {
		err = api.Refuse(api.NotFound)
		if _, isSocket := c.QueryParams()["EIO"]; isSocket { // Engine.IO's version, which each client of it sends
			err = api.Refusef(api.NotFound, "the socket is at the path %s", realtimePath)
		}
	}
	a.refuse(api.AsError(err))
}

const (
	maxURL    = 4 << 10
	maxHeader = 16 << 10
	maxBody   = 64 << 10 // no route uses a body; a small one is discarded
)

func withinSize(r *http.Request, b body) error {
	if len(r.RequestURI) > maxURL || listen.HeaderBytes(r.Header) > maxHeader {
		return api.Refuse(api.RequestTooLarge)
	}
	return b.refusal()
}
