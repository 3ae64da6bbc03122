// Package query has the page that asks the tables of an account's publications by SQL.
package query

import (
	"embed"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"mkt/internal/console/access"
	"mkt/internal/console/choice"
	"mkt/internal/console/frame"
	"mkt/internal/dataset"
	"mkt/internal/deadline"
	"mkt/internal/evidence/query"
)

//go:embed *.html
var Templates embed.FS

// Pages are the page and its download.
type Pages struct {
	*choice.Reader
	Frame *frame.Frame
	asker query.Asker
}

type body struct {
	choice.Choice
	query.Request
	Typed   string        // the moment
	Answer  *query.Result // nil if there is none
	Problem error         // why
}

// Query answers the query of the address, or has an empty box.
func (c *Pages) Query(r *http.Request) (frame.View, error) {
	b, err := c.read(r)
	if err == nil && b.SQL != "" && b.Problem == nil {
		b.Answer, b.Problem = c.asker.Table(r.Context(), b.Request)
	}
	return frame.View{Page: "query", Section: "audit", Title: "Query", Body: &b}, err
}

// CSV answers the query of the address with all its rows.
func (c *Pages) CSV(w http.ResponseWriter, r *http.Request) {
	b, err := c.read(r)
	if err = errors.Join(err, b.Problem); err == nil {
		w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", b.Account+".csv"))
		_ = deadline.Write(http.NewResponseController(w), query.Time) // whoever stopped reading holds the query no longer
		err = c.asker.CSV(r.Context(), b.Request, w)
	}
	if errors.Is(err, query.ErrCut) {
		panic(http.ErrAbortHandler) // nobody takes a part of the rows for all
	}
	if err != nil {
		w.Header().Del("Content-Disposition")
		c.Frame.Fail(w, r, &frame.Problem{Status: http.StatusUnprocessableEntity, Title: "No answer", What: err.Error()})
	}
}

// read reads the query, the account and the moment of an address.
func (c *Pages) read(r *http.Request) (b body, err error) {
	if b.Choice, err = c.Pick(r, "/query"); err != nil {
		return b, err
	}
	b.Datasets = slices.CompactFunc(b.Datasets, func(x, y dataset.Dataset) bool { return x.Tenant == y.Tenant })
	q := r.URL.Query()
	b.Typed = q.Get("at")
	b.Request, b.Problem = query.New(c.Data, b.Account, q.Get("sql"), b.Typed, c.Now())
	if b.Problem == nil && b.SQL != "" && !access.IsOwnRequest(r) { // it costs the machine
		b.Problem = errors.New("a link of another site runs no query: read it, and press Ask")
	}
	return b, nil
}
