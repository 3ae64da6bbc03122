// Package api has the documentation of the API, on whose page requests are tried.
package api

import (
	"context"
	"embed"
	"errors"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path"
	"strings"
	"sync"

	"mkt/docs"
	"mkt/internal/console/access"
	"mkt/internal/console/choice"
	"mkt/internal/console/frame"
)

//go:embed *.html
var Templates embed.FS

// Pages are the pages of the section.
type Pages struct {
	*choice.Reader
	Frame   *frame.Frame
	Running context.Context // until the console stops
	// Start starts an API server on loopback until ctx is done, and returns its address and a function
	// with the token of an account.
	Start func(ctx context.Context) (baseURL string, token func(account string) (string, bool), err error)

	server apiServer
}

// apiServer is the API server for the examples of the documentation.
type apiServer struct {
	mu      sync.Mutex
	running bool
	base    *url.URL
	token   func(account string) (string, bool)
}

// apiBody is the content of the page with the API's documentation.
type apiBody struct {
	Accounts []string
	Account  string // whose data the examples are tried on; "" for none
}

func (b apiBody) Chosen() string { return b.Account }

// Contract serves a document of the API, as it is.
func Contract(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/yaml; charset=utf-8")
	http.ServeFileFS(w, r, docs.Files, path.Base(r.URL.Path))
}

// Guide serves a guide of docs/, as it is.
func Guide(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	http.ServeFileFS(w, r, docs.Files, r.PathValue("name"))
}

// Reference shows the routes of the API. Its renderer sets styles of its own.
func (c *Pages) Reference(w http.ResponseWriter, r *http.Request) {
	file, err := c.Accounts()
	if file == nil {
		c.Frame.Fail(w, r, err)
		return
	}
	body := apiBody{Accounts: file.IDs(), Account: r.URL.Query().Get("account")}
	if _, known := file.Tenant(body.Account); !known && len(body.Accounts) > 0 {
		body.Account = body.Accounts[0]
	}
	h := w.Header()
	h.Set("Content-Security-Policy", strings.Replace(h.Get("Content-Security-Policy"), "style-src 'self'", "style-src 'self' 'unsafe-inline'", 1))
	c.Frame.Render(w, r, http.StatusOK, frame.View{Page: "api", Section: "api", Title: "API", Body: body})
}

// Try answers a request of the documentation's page with the API's answer to the account. The API
// server starts with the first one.
func (c *Pages) Try(w http.ResponseWriter, r *http.Request) {
	account, rest := r.PathValue("account"), path.Clean("/"+r.PathValue("rest"))
	if !strings.HasPrefix(rest, "/api/v1/") {
		c.Frame.Fail(w, r, frame.NotFound("%s is not a path of the API.", rest))
		return
	}
	if !access.IsOwnRequest(r) {
		c.Frame.Fail(w, r, frame.BadRequest("The API is tried on the page of its documentation."))
		return
	}
	if err := c.server.start(c.Running, c.Start); err != nil {
		c.Frame.Log.Error("console: start the API", "error", err)
		c.Frame.Fail(w, r, &frame.Problem{Status: http.StatusServiceUnavailable, Title: "Not available", What: "The API could not be started; the log of mkt console says why."})
		return
	}
	token, ok := c.server.token(account)
	if !ok {
		c.Frame.Fail(w, r, frame.NotFound("There is no account %q.", account))
		return
	}
	proxy := httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		p.Out.URL = &url.URL{Scheme: c.server.base.Scheme, Host: c.server.base.Host, Path: rest, RawQuery: p.In.URL.RawQuery}
		p.Out.Host = c.server.base.Host
		p.Out.Header = http.Header{"Authorization": {"Bearer " + token}, "Accept": {"application/json"}}
		for _, name := range []string{"If-None-Match", "Accept-Encoding"} {
			if value := p.In.Header.Get(name); value != "" {
				p.Out.Header.Set(name, value)
			}
		}
	}, ModifyResponse: func(answer *http.Response) error {
		for name := range w.Header() { // those of the console apply
			answer.Header.Del(name)
		}
		return nil
	}, ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
		c.Frame.Log.Error("console: ask the API", "error", err)
		c.Frame.Fail(w, r, &frame.Problem{Status: http.StatusBadGateway, Title: "Not available", What: "The API does not answer; the log of mkt console says why."})
	}}
	proxy.ServeHTTP(w, r)
}

func (a *apiServer) start(ctx context.Context, start func(context.Context) (string, func(string) (string, bool), error)) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.running {
		return nil
	}
	if start == nil {
		return errors.New("no API is configured")
	}
	address, token, err := start(ctx)
	if err != nil {
		return err
	}
	a.base, err = url.Parse(address)
	a.token, a.running = token, err == nil
	return err
}
