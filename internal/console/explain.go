package console

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"mkt/fetch/provider/all"
	"mkt/internal/evidence/document"
	"mkt/internal/evidence/explain"
	"mkt/publish/football"
	"mkt/publish/snapshot"
)

// explainTime bounds the work for an explanation: a live value is computed again from all
// cycles of the match.
const explainTime = time.Minute

func (c *Console) explain(r *http.Request) (view, error) {
	d, err := c.dataset(r.PathValue("account"), r.PathValue("product"))
	if err != nil {
		return view{}, err
	}
	target, err := explain.ParseTarget(r.PathValue("target"))
	if err != nil {
		return view{}, badRequest("%v.", err)
	}
	at := snapshot.Newest
	if text := r.URL.Query().Get("at"); text != "" {
		if at, err = snapshot.ParseMoment(text, c.Now()); err != nil {
			return view{}, badRequest("at=%v.", err)
		}
	}
	root, err := d.Open()
	if err != nil {
		return view{}, err
	}
	defer root.Close()
	ctx, cancel := context.WithTimeout(r.Context(), explainTime)
	defer cancel()
	report, err := explain.Run(ctx, explain.Options{Tenant: d.Tenant, Product: d.Product, Root: root, At: at, Provider: all.Lookup}, target)
	switch {
	case errors.Is(err, explain.ErrUnknown), errors.Is(err, explain.ErrDeleted), errors.Is(err, snapshot.ErrUnknown):
		return view{}, notFound("%v.", err)
	case err != nil:
		return view{}, err
	}
	b := &documentBody{Account: d.Tenant, Command: fmt.Sprintf("explain %s --tenant %s --product %s --at v%d", report.ID, d.Tenant, d.Product, report.Publication.Version)}
	if first, _, _ := strings.Cut(strings.Trim(report.ID, "/"), "/"); d.Product == football.MarketEngine && strings.HasPrefix(first, "fx_") {
		b.Above = []document.Span{document.Link("/fixtures/"+d.Tenant+"/"+first, "The fixture")}
	}
	return b.view("fixtures", "Explanation of "+report.Title, report.Document(""))
}
