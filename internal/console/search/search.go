// Package search has the page that the search field of every page leads to, and that of the newest
// requests of an account, where a client's complaint begins.
package search

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
	"unicode/utf8"

	"mkt/internal/console/choice"
	"mkt/internal/console/frame"
	"mkt/internal/dataset"
	"mkt/internal/evidence/find"
	"mkt/internal/evidence/inspect"
	"mkt/internal/terminal"
	"mkt/publish/layout"
)

// Pages are the pages.
type Pages struct {
	*choice.Reader
	Frame    *frame.Frame
	Requests string // the folder that serve writes the newest requests to

	one sync.Mutex // held by a search: however many are asked for, they take one processor
}

// searchTime bounds a search in all accounts.
const searchTime = 20 * time.Second

// Search leads on from an id, and lists what has the words of a name.
func (c *Pages) Search(w http.ResponseWriter, r *http.Request) {
	text := r.URL.Query().Get("q")
	if utf8.RuneCountInString(text) > find.MaxQuery {
		c.Frame.Fail(w, r, frame.BadRequest("q: want at most %d characters.", find.MaxQuery))
		return
	}
	p, err := c.PickOf(r, "/search", dataset.Filter{})
	if err != nil {
		c.Frame.Fail(w, r, err)
		return
	}
	c.one.Lock()
	defer c.one.Unlock()
	ctx, cancel := context.WithTimeout(r.Context(), searchTime)
	defer cancel()
	found := find.Search(ctx, p.Datasets, c.Requests, text)
	if to := found.Only(); to != "" {
		http.Redirect(w, r, to, http.StatusFound)
		return
	}
	v, err := (&frame.Document{}).View("", "Search", found.Document())
	if err != nil {
		c.Frame.Fail(w, r, err)
		return
	}
	v.Query = text
	c.Frame.Render(w, r, http.StatusOK, v)
}

// Asked shows the newest requests of an account.
func (c *Pages) Asked(r *http.Request) (frame.View, error) {
	id, q := r.PathValue("account"), r.URL.Query()
	file, err := c.Accounts()
	if file == nil {
		return frame.View{}, errors.Join(errors.New("the accounts cannot be read"), err)
	}
	if _, known := file.Tenant(id); !known || !layout.ValidTenantID(id) {
		return frame.View{}, frame.NotFound("There is no account %q.", id)
	}
	list, err := inspect.RequestsOf(c.Requests, c.Data, id, inspect.RequestsWanted{Refused: q.Get("refused") != "", ID: q.Get("id")})
	if err != nil {
		return frame.View{}, err
	}
	b := &frame.Document{Account: id, Command: "tenant requests " + id}
	switch {
	case list.ID != "":
		b.Command += " --request-id " + terminal.Quote(list.ID)
	case list.Refused:
		b.Command += " --refused"
	}
	return b.View("overview", "Requests of "+id, list.Document(""))
}
