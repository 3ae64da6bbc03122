package serve

import (
	"fmt"
	"time"

	"mkt/publish/football"
	"mkt/serve/internal/api"
)

// live answers GET /live: the fixtures in play in the order of their ids, after a cursor.
// The socket pushes the same data.
func (c *call) live() error {
	limit, err := c.params.limit()
	if err != nil {
		return err
	}
	scope := api.Scope{Collection: api.LiveList, ClientID: c.who.ClientID}
	after, err := c.params.position(scope)
	if err != nil {
		return err
	}
	if err := c.ready(); err != nil {
		return err
	}
	fixtures, more := c.view.Live(after, limit)
	page := api.Pagination{Limit: limit, HasMore: more}
	if more {
		page.NextCursor = scope.Cursor(fixtures[len(fixtures)-1].ID)
	}
	return c.sendLive(fmt.Sprint("list ", limit, " ", after), func() *api.Page {
		return api.LiveItems(fixtures, c.now).Page(page, c.view.Freshness(), api.LiveListMeta(c.view.LiveCount()))
	}, fixtures...)
}

func (c *call) liveFixture() error {
	return c.sendOne("match", anyFixture, (*api.LiveFixture).AppendSingle)
}

func (c *call) liveTimeline() error {
	return c.sendOne("timeline", detailSet, (*api.LiveFixture).AppendTimeline)
}

func (c *call) liveMomentum() error {
	return c.sendOne("momentum", detailSet, (*api.LiveFixture).AppendMomentum)
}

func (c *call) liveStats() error {
	return c.sendOne("stats", detailSet, func(f *api.LiveFixture, dst []byte, _ time.Time) []byte { return f.AppendStats(dst) })
}

// reach says for which fixtures a route has answers.
type reach bool

const (
	anyFixture reach = false
	detailSet  reach = true // others are not ready (specification, section 3.5)
)

func (c *call) sendOne(what string, of reach, render func(*api.LiveFixture, []byte, time.Time) []byte) error {
	f, err := c.findLive()
	if err != nil {
		return err
	}
	if of == detailSet && !f.Detailed {
		return &api.Error{Code: api.DataNotReady, RetryAfter: time.Minute}
	}
	return c.sendLive(what+" "+f.ID, func() *api.Page {
		const typicalSize = 4 << 10
		return api.Object(render(f, make([]byte, 0, typicalSize), c.now), c.view.LiveFreshness(f))
	}, f)
}

func (c *call) findLive() (*api.LiveFixture, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	id := c.echo.Param("id")
	if !football.IsFixtureID(id) {
		return nil, api.Refuse(api.FixtureNotFound)
	}
	f, ok := c.view.FindLive(id)
	if !ok {
		return nil, api.Refuse(api.FixtureNotFound)
	}
	c.found = f.ID
	return f, nil
}

// sendLive answers with a page whose data has ages and which is rendered for this request,
// unless the client already has it. Its validator depends on the snapshot, on the question,
// and on which feeds are too old now.
func (c *call) sendLive(asked string, page func() *api.Page, fixtures ...*api.LiveFixture) error {
	tag := api.PageTag(c.view.Commit().SHA256, asked, api.StaleMarks(c.now, fixtures...))
	if !c.Unchanged(c.request, tag) {
		c.Page(c.request, page(), false)
	}
	return nil
}
