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
	"mkt/serve/internal/reader"
)

// call is one request to a route. It uses the account of one generation and the view of
// one snapshot throughout.
type call struct {
	*server
	answer  *answer
	request *http.Request
	echo    echo.Context
	route   *route
	now     time.Time

	who     *account.Account // nil on an open route without a known token
	counted bool             // counted among the account's requests at once
	params  params
	dataset *reader.Dataset  // nil if the route reads no data
	view    *reader.View     // nil if there is no data yet
}

// answerTime limits the rendering of a page, including the wait in the queue.
const answerTime = 10 * time.Second

// enter returns the handler of a route. It makes all checks that come before those of
// the route's own parameters.
func (s *server) enter(rt *route) echo.HandlerFunc {
	return func(e echo.Context) error {
		a := e.Response().Writer.(*answer)
		params := e.ParamValues()
		for i, value := range params {
			if value == "" {
				return api.Refuse(api.NotFound)
			}
			params[i] = decoded(value)
		}
		e.SetParamValues(params...)
		a.route = rt.name
		if err := withinSize(e.Request(), a.body); err != nil {
			a.Header().Set("Connection", "close")
			return err
		}
		c := &a.call
		*c = call{server: s, answer: a, request: e.Request(), echo: e, route: rt, now: a.began}
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
	c.answer.limit = pass.Limit
	c.answer.shareWith(pass.Origin)
	if c.who != nil {
		c.answer.tenant, c.answer.traffic = c.who.ClientID, c.trafficOf(c.who.ClientID)
	}
	if err != nil {
		return err
	}
	if x := c.route.extension; x != "" && !c.who.Allows(x) {
		return api.Refuse(api.FeatureNotEnabled)
	}
	if c.who != nil {
		if c.counted = c.answer.traffic.enter(maxInFlightEach); !c.counted {
			c.answer.shed = shedOwn
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
	if c.view != nil {
		c.view.Release()
	}
	if c.counted {
		c.answer.traffic.leave()
	}
	*c = call{} // echo keeps the answer until its next request, and must not keep the view
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
	case errors.Is(err, reader.ErrBusy):
		c.answer.shed = shedWaiting
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		c.answer.shed = shedLate
	case ctx.Err() != nil: // the client has disconnected, which is not a fault
	default:
		return err
	}
	return &api.Error{Code: api.ServiceUnavailable, RetryAfter: time.Second, Cause: err}
}

// ready checks for data: a usable provider with this product, then a snapshot. It is called
// after the parameters are checked and before the resource is looked up.
func (c *call) ready() error {
	if !c.connected(c.who, c.route.need.Product) {
		return api.Refuse(api.ProviderNotConnected)
	}
	if c.view == nil {
		return c.dataset.NotReady()
	}
	return nil
}

func (c *call) send(p *api.Page) error {
	stale := c.stale()
	if !c.answer.unchanged(c.request, p.ETag(stale)) {
		c.answer.page(c.request, p, stale)
	}
	return nil
}

func (c *call) sendDocument(data any) error {
	p, err := api.Document(data)
	if err != nil {
		return err
	}
	c.answer.page(c.request, p, false)
	return nil
}
