package inspect

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strings"

	"mkt/internal/dataset"
	doc "mkt/internal/evidence/document"
	"mkt/internal/terminal"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/snapshot"
	"mkt/serve/requests"
)

// Requests are the newest requests of an account that serve kept, newest first.
type Requests struct {
	RequestsWanted `json:"-"`
	ClientID       string            `json:"client_id"`
	Requests       []requests.Record `json:"requests"`
	Kept           int               `json:"kept"`             // also those that were not wanted
	Damage         string            `json:"damage,omitempty"` // files and lines that were left out

	keptFrom map[string]uint64 // by product: the oldest version whose snapshot is kept
}

// RequestsWanted selects requests; the zero value selects all.
type RequestsWanted struct {
	Refused bool   // only these
	ID      string // only those with this id
}

// RequestsOf reads the requests of an account from the folder that serve writes them to, and which of the
// publications that answered are kept in the data root. There are no requests if the folder is missing.
func RequestsOf(dir, data, account string, w RequestsWanted) (r Requests, err error) {
	r = Requests{RequestsWanted: w, ClientID: account, Requests: []requests.Record{}, keptFrom: map[string]uint64{}}
	root, err := durable.OpenExisting(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, fmt.Errorf("newest requests: %w", err)
	}
	defer root.Close()
	list, damage, err := requests.Read(root, account)
	if err != nil {
		return r, fmt.Errorf("newest requests: %w", err)
	}
	if damage != nil {
		r.Damage = damage.Error()
	}
	r.Kept = len(list)
	r.Requests = append(r.Requests, slices.DeleteFunc(list, func(one requests.Record) bool {
		return w.Refused && !one.Refused() || w.ID != "" && one.ID != w.ID
	})...)
	products, _ := dataset.List(data, dataset.Filter{Tenant: account})
	for _, d := range products {
		if root, err := d.Open(); err == nil { // else the page that is linked says why not
			if head, found, err := snapshot.Head(root); err == nil && found {
				r.keptFrom[string(d.Product)] = snapshot.OldestKept(root, head).Version
			}
			root.Close()
		}
	}
	return r, nil
}

func (r *Requests) isKept(one *requests.Record) bool { return one.Version >= r.keptFrom[one.Product] }

// Document returns the requests for people. On a page each leads to what was answered; in a terminal one
// alone has the command that goes on, which begins as given.
func (r *Requests) Document(command string) *doc.Document {
	path := "/requests/" + r.ClientID
	notes := []doc.Note{
		{Only: doc.Page, Line: r.choices(path)},
		{Line: doc.Words("The newest requests that mkt serve answered or refused, a few seconds late. The request id is the answer's X-Request-Id.")},
		{Only: doc.Page, Line: doc.Words("A line leads to what was asked for as of the publication that answered, as long as that is kept; explain says where its values came from.")},
	}
	if r.Damage != "" {
		notes = append(notes, doc.Note{Line: doc.Styled(terminal.Bad, "left out: "+r.Damage)})
	}
	d := &doc.Document{Title: "Requests of " + r.ClientID, Sections: []doc.Section{{Notes: notes}}}
	shown := &d.Sections[0]
	if len(r.Requests) == 0 {
		shown.Notes = append(shown.Notes, doc.Note{Line: doc.Words(r.none())})
		return d
	}
	shown.Table = &doc.Table{Class: "lines", Columns: doc.Columns("Answered", "Request", "#Status", "Answer", "#Took", "Publication", "Request id")}
	several := slices.ContainsFunc(r.Requests, func(one requests.Record) bool { return one.Replica != r.Requests[0].Replica })
	if several {
		shown.Table.Columns = append(shown.Table.Columns, doc.Column{Name: "Process"})
	}
	for i := range r.Requests {
		one := &r.Requests[i]
		status, publication := doc.Words(""), doc.Words("")
		if one.Status > 0 {
			status = doc.Words(fmt.Sprint(one.Status))
		}
		if one.Version > 0 {
			publication = doc.Line{doc.Link(fmt.Sprintf("/cycles/%s/%s/v%d", r.ClientID, one.Product, one.Version), fmt.Sprintf("v%d", one.Version))}
			if !r.isKept(one) {
				publication = append(publication, doc.Soft(" not kept"))
			}
		}
		cells := []any{doc.Stamp(one.At), r.asked(one), status, r.answer(one), fmt.Sprintf("%.1f ms", one.MS), publication, doc.Code(one.ID)}
		if several {
			cells = append(cells, doc.Soft(one.Replica))
		}
		shown.Table.Add(cells...)
	}
	if one := r.Requests[0]; len(r.Requests) == 1 && r.explained(&one) != "" {
		shown.Facts = []doc.Fact{{Only: doc.Terminal, Name: "what was behind it", Value: doc.Format("%s explain %s --tenant %s --product %s --at v%d", command, r.explained(&one), r.ClientID, one.Product, one.Version)}}
	}
	return d
}

// choices are the links of a page to other selections of the requests.
func (r *Requests) choices(path string) doc.Line {
	all, refused := doc.Link(path, "All"), doc.Link(path+"?refused=1", "Refused only")
	switch {
	case r.Refused:
		refused = doc.Strong("Refused only")
	case r.ID == "":
		all = doc.Strong("All")
	}
	return doc.Line{all, {Words: " · "}, refused}
}

func (r *Requests) none() string {
	switch {
	case r.Kept == 0:
		return "No request of this account is kept. If others see some, mkt serve writes to another folder (serve.usage_dir) or on another machine."
	case r.ID != "":
		return fmt.Sprintf("None of the %d kept requests has the id %s. An older one, or one of an unknown path or method, is only in the log of mkt serve.", r.Kept, r.ID)
	}
	return fmt.Sprintf("None of the %d kept requests was refused.", r.Kept)
}

// asked is the request, with a link to what it was about as of then.
func (r *Requests) asked(one *requests.Record) doc.Line {
	path := one.Path()
	isLive := one.Product == string(football.LiveIntelligence)
	if one.Fixture == "" || one.Version > 0 && (isLive || one.Market == "") && !r.isKept(one) {
		return doc.Words(path)
	}
	to := "/fixtures/" + r.ClientID + "/" + one.Fixture
	switch {
	case isLive:
		to = "/live/" + r.ClientID + "/" + one.Fixture + version(one)
	case one.Market != "":
		to += "/" + url.PathEscape(one.Market)
	default:
		to += version(one)
	}
	return doc.Line{doc.Link(to, path)}
}

func version(one *requests.Record) string {
	if one.Version == 0 {
		return ""
	}
	return fmt.Sprintf("?version=%d", one.Version)
}

// answer is the refusal as the client got it, or a link to what was behind the answer.
func (r *Requests) answer(one *requests.Record) doc.Line {
	target := r.explained(one)
	switch {
	case one.Refused():
		return doc.Line{{Words: one.Code, Style: terminal.Bad}, {Words: " " + one.Message}}
	case target == "":
		return nil
	}
	at := doc.Link(fmt.Sprintf("/explain/%s/%s/%s?at=v%d", r.ClientID, one.Product, target, one.Version), "explain")
	at.Only = doc.Page
	return doc.Line{at}
}

// explained returns what mkt explain can explain of an answer; "" if there is nothing. Of a match in play it needs no
// snapshot.
func (r *Requests) explained(one *requests.Record) string {
	if one.Refused() || one.Fixture == "" || one.Version == 0 || one.Product != string(football.LiveIntelligence) && !r.isKept(one) {
		return ""
	}
	if one.Market != "" {
		return one.Fixture + "/" + one.Market
	}
	_, part, _ := strings.Cut(one.Route, "{id}/")
	if part == "timeline" || part == "momentum" {
		return one.Fixture + "/" + part
	}
	return one.Fixture
}
