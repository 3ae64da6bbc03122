package serve

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"mkt/serve/account"
	"mkt/serve/internal/api"
	"mkt/serve/internal/gate"
	"mkt/serve/internal/metrics"
	"mkt/serve/internal/pipeline"
	"mkt/serve/internal/reader"
	"mkt/serve/internal/reader/fairqueue"
	"mkt/serve/internal/response"
	"mkt/serve/requests"
)

// route is a row of the tables of routes.
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

// call is one request and its answer. It uses the account of one generation and the view of
// one snapshot throughout.
type call struct {
	response.Writer
	*server
	request *http.Request
	body    body
	echo    echo.Context // this and the rest: only of a request to a route
	route   *route
	now     time.Time

	who     *account.Account // nil on an open route without a known token
	traffic *metrics.Traffic // of the account; nil if it is unknown
	counted bool             // counted among the account's requests at once
	found   string           // the id of the fixture in the path, if the account has it
	asked   requests.Record  // what is known of the request when its handler has ended
	params  params
	dataset *reader.Dataset // nil if the route reads no data
	view    *reader.View    // nil if there is no data yet
}

// answerTime limits the rendering of a page, including the wait in the queue.
const answerTime = 10 * time.Second

// enter returns the handler of a route. It makes all checks that come before those of
// the route's own parameters.
func enter(rt *route) echo.HandlerFunc {
	return func(e echo.Context) error {
		c := e.Response().Writer.(*call)
		params := e.ParamValues()
		for i, value := range params {
			if value == "" {
				return api.Refuse(api.NotFound)
			}
			params[i] = decoded(value)
		}
		e.SetParamValues(params...)
		c.Route = rt.name
		if err := withinSize(e.Request(), c.body); err != nil {
			c.Header().Set("Connection", "close")
			return err
		}
		c.request, c.echo, c.route, c.now = e.Request(), e, rt, c.Began
		defer c.leave()
		if err := c.admit(); err != nil {
			return err
		}
		return rt.handle(c)
	}
}

func (c *call) admit() error {
	pass, err := c.enterGate()
	c.who = pass.Account
	c.Limit = pass.Limit
	c.ShareWith(pass.Origin)
	if c.who != nil {
		c.Tenant, c.traffic = c.who.ClientID, c.metrics.Traffic(c.who.ClientID)
	}
	if err != nil {
		return err
	}
	if x := c.route.extension; x != "" && !c.who.Allows(x) {
		return api.Refuse(api.FeatureNotEnabled)
	}
	if c.who != nil {
		if c.counted = c.traffic.Enter(maxInFlightEach); !c.counted {
			c.Shed = response.ShedAccount
			return &api.Error{Code: api.ServiceUnavailable, RetryAfter: time.Second}
		}
		if c.route.extension == "" { // the usage of version 1 does not name extensions
			c.usage.Count(c.who.ClientID, c.route.name, c.route.need.Product)
		}
	}
	if c.params, err = parseParams(c.request.URL.RawQuery, c.route.params); err != nil {
		return err
	}
	if c.route.need.Product != "" {
		c.dataset = c.library.Tenant(c.who.ClientID).Dataset(c.route.need.Product)
		c.view = c.dataset.Acquire()
	}
	return nil
}

func (c *call) enterGate() (gate.Pass, error) {
	if c.route.open {
		return c.gate.EnterOpen(c.request)
	}
	return c.gate.Enter(c.request, c.route.need)
}

func (c *call) leave() {
	c.asked = requests.Record{Product: string(c.route.need.Product), Fixture: c.echo.Param("id"), Market: c.echo.Param("market_id")}
	if c.view != nil {
		c.asked.Version = c.view.Commit().Version
		c.view.Release()
	}
	if c.counted {
		c.traffic.Leave()
	}
	c.who, c.params, c.dataset, c.view = nil, params{}, nil, nil // echo keeps the call until its next request
}

// renderer is one of a view's functions that return a page.
type renderer func(ctx context.Context, key string, render func(context.Context) (*api.Page, error)) (*api.Page, error)

// sendPage answers with the page of a key, which render renders if it is not cached. The key must
// contain everything that the page depends on, besides the view.
func (c *call) sendPage(key string, render func(context.Context) (*api.Page, error)) error {
	return c.sendBy(c.view.Page, key, render)
}

func (c *call) sendBy(by renderer, key string, render func(context.Context) (*api.Page, error)) error {
	if p, ok := c.view.CachedPage(key); ok { // a cached page needs no time limit
		return c.send(p)
	}
	ctx, cancel := context.WithTimeout(c.request.Context(), answerTime)
	defer cancel()
	p, err := by(ctx, key, render)
	if err != nil {
		return c.asUnavailable(ctx, err)
	}
	return c.send(p)
}

// asUnavailable turns an error of rendering into SERVICE_UNAVAILABLE if the service was too busy:
// the time was over, or the queue was full.
func (c *call) asUnavailable(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, fairqueue.ErrBusy):
		c.Shed = response.ShedQueue
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		c.Shed = response.ShedLate
	case ctx.Err() != nil: // the client has disconnected, which is not a fault
	default:
		return err
	}
	return &api.Error{Code: api.ServiceUnavailable, RetryAfter: time.Second, Cause: err}
}

// ready checks for data: a usable provider with this product, then a snapshot. It is called
// after the parameters are checked and before the resource is looked up.
func (c *call) ready() error {
	if !c.pipeline().Connected(c.route.need.Product) {
		return api.Refuse(api.ProviderNotConnected)
	}
	if c.view == nil {
		return c.dataset.NotReady()
	}
	return nil
}

// pipeline returns that of the account.
func (c *call) pipeline() pipeline.Pipeline { return pipeline.Of(c.who, c.library) }

func (c *call) send(p *api.Page) error {
	stale := c.view != nil && c.pipeline().Stale(c.route.need.Product, c.view, c.now)
	if !c.Unchanged(c.request, p.ETag(stale)) {
		c.Page(c.request, p, stale)
	}
	return nil
}

func (c *call) sendDocument(data any) error {
	p, err := api.Document(data)
	if err != nil {
		return err
	}
	c.Page(c.request, p, false)
	return nil
}
