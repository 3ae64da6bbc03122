package receipts

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"

	"mkt/internal/console/access"
	"mkt/internal/console/frame"
	"mkt/internal/evidence/explain"
	"mkt/internal/evidence/prove"
	"mkt/internal/receipts/receipt"
	"mkt/internal/receipts/transparency"
	"mkt/publish/football"
	"mkt/publish/snapshot"
)

// Receipt sends the receipt of a price, or of a match in play, as a file.
func (c *Pages) Receipt(w http.ResponseWriter, r *http.Request) {
	if !access.IsOwnRequest(r) { // a page of another site must not make the console read publications
		c.Frame.Fail(w, r, frame.BadRequest("Receipts are only sent to the pages of this console."))
		return
	}
	made, err := c.makeReceipt(r)
	if err != nil {
		c.Frame.Fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Disposition", `attachment; filename="`+cmp.Or(made.SelectionID, made.FixtureID)+`.receipt"`)
	_, _ = w.Write(made.Encode()) // the browser has gone
}

func (c *Pages) makeReceipt(r *http.Request) (*receipt.Receipt, error) {
	wanted := prove.Wanted{Fixture: r.PathValue("fixture"), Market: r.PathValue("market"), Selection: r.PathValue("selection"), At: snapshot.Newest}
	product, path := football.MarketEngine, wanted.Fixture+"/"+wanted.Market+"/"+wanted.Selection
	if wanted.Selection == "" {
		product, path = football.LiveIntelligence, wanted.Fixture
	}
	var err error
	if wanted.Dataset, err = c.DatasetOf(r.PathValue("account"), string(product)); err != nil {
		return nil, err
	}
	target, err := explain.ParseTarget(path)
	if f, m, s := target.IDs(); err != nil || f != wanted.Fixture || m != wanted.Market || s != wanted.Selection {
		return nil, frame.NotFound("%.200q is not the id of a fixture, or has not those of a selection.", path)
	}
	if text := r.URL.Query().Get("version"); text != "" {
		version, err := strconv.ParseUint(text, 10, 64)
		if err != nil || version == 0 {
			return nil, frame.BadRequest("version=%.20s is not the version of a publication.", text)
		}
		wanted.At = snapshot.Numbered(version)
	}
	if wanted.Policy, err = prove.Policy(c.Log.Files); err != nil {
		return nil, err
	}
	made, _, err := prove.Make(wanted)
	switch {
	case err == nil:
		return made, nil
	case prove.IsUnknown(err), errors.Is(err, explain.ErrDeleted), errors.Is(err, transparency.ErrNoLog), errors.Is(err, transparency.ErrNotLogged), errors.Is(err, receipt.ErrNoRoot):
		return nil, &frame.Problem{Status: http.StatusNotFound, Title: "No receipt", What: "There is no receipt of " + cmp.Or(wanted.Selection, wanted.Fixture) + ": " + prove.Remedy(err).Error() + "."}
	}
	return nil, prove.Remedy(err)
}
