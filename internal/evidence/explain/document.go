package explain

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	doc "mkt/internal/evidence/document"
	"mkt/internal/terminal"
	"mkt/publish/layout"
)

// Document returns the report for people. data is the data root, for the command to print an
// answer; "" leaves the command out.
func (r *Report) Document(data string) *doc.Document {
	p := r.Publication
	served := []doc.Fact{{Name: "served", Value: doc.Format("%s %s, %s, cycle %s, published %s", r.Tenant, r.Product,
		doc.Link(r.path(p.CycleID), fmt.Sprintf("version %d", p.Version)), doc.Code(p.CycleID), doc.Stamp(p.PublishedAt))}}
	if r.CarriedOver {
		served = append(served, doc.Fact{Name: "refreshed", Value: doc.Format("in cycle %s", doc.Code(r.Cycle))})
	}
	if r.Rules.Then != r.Rules.Now {
		served = append(served, doc.Fact{Name: "rules", Value: doc.Format("%s then, %s in this build", r.Rules.Then, r.Rules.Now)})
	}
	traced := doc.Note{Only: doc.Page, Line: doc.Styled(terminal.Warn, "Not everything could be traced to the payload.")}
	if r.Complete {
		traced.Line = doc.Styled(terminal.Good, "Everything was traced to the payload, and reading it again gave the served values.")
	}
	notes := []doc.Fact{}
	for _, n := range r.Notes {
		notes = append(notes, doc.Fact{Name: "note", Value: doc.Styled(terminal.Warn, n)})
	}
	return &doc.Document{Title: r.Title, Head: doc.Words(r.ID + "  " + r.Kind + "  " + r.Title), Sections: []doc.Section{
		{Notes: []doc.Note{{Only: doc.Page, Line: doc.Format("Where the %s %s comes from.", r.Kind, doc.Code(r.ID))}, traced}, Facts: slices.Concat(served, notes)},
		{Title: "Values", Class: "long", Facts: r.values()},
		{Title: "Last changes", Class: "long", Facts: r.changes()},
		{Title: "Samples", Class: "long", Facts: r.samples()},
		{Title: "Answers of the provider", Class: "long", Facts: r.answers(data)},
	}}
}

// path returns the address of the page of a cycle.
func (r *Report) path(cycle string) string {
	return fmt.Sprintf("/cycles/%s/%s/%s", r.Tenant, r.Product, cycle)
}

func (r *Report) answer(cycle string, number int) doc.Span {
	return doc.Link(fmt.Sprintf("%s/answers/%d", r.path(cycle), number), fmt.Sprintf("#%d", number))
}

// values are the fields. Consecutive ones with the same origin have it once.
func (r *Report) values() (list []doc.Fact) {
	for i, v := range r.Values {
		fact := doc.Fact{Name: v.Field, Value: v.line()}
		if next := i + 1; next == len(r.Values) || r.Values[next].Rule != v.Rule || !slices.Equal(r.Values[next].From, v.From) {
			fact.Below = append([]doc.Fact{{Name: "rule", Value: doc.Words(v.Rule)}}, r.pieces(v.From)...)
		}
		list = append(list, fact)
	}
	return list
}

func (v Value) line() doc.Line {
	switch v.State {
	case IsAbsent:
		return doc.Styled(terminal.Warn, "absent: not sent")
	case IsNull:
		return doc.Styled(terminal.Warn, "null: sent without a value, or does not apply")
	case NotApply:
		return doc.Line{doc.Soft("none")}
	}
	return doc.Line{doc.Strong(v.Value)}
}

func (r *Report) pieces(from []Piece) (list []doc.Fact) {
	const most = 160
	for _, p := range from {
		cycle := ""
		if slices.ContainsFunc(r.Sources, func(s Source) bool { return s.Cycle != p.Cycle }) { // they are not all of one cycle
			id, _, _ := strings.Cut(p.Cycle, "-")
			cycle = id + " "
		}
		short := doc.Span{Words: "  " + cut(strings.Join(strings.Fields(p.Text), " "), most), Only: doc.Terminal}
		says := doc.Soft(" " + p.Says)
		says.Only = doc.Page
		list = append(list, doc.Fact{Name: "from", Text: p.Text,
			Value: doc.Format("%s%s %s%s%s", cycle, r.answer(p.Cycle, p.Response), doc.Code(p.Path), short, says)})
	}
	return list
}

// changes lists the last changes of a selection, newest first.
func (r *Report) changes() (list []doc.Fact) {
	for _, c := range r.Changes {
		value := doc.Line{doc.Strong(c.words())}
		if c.Line != nil {
			value = append(value, doc.Span{Words: " at the line " + *c.Line})
		}
		if c.Publishable != nil && !*c.Publishable {
			value = append(value, doc.Span{Words: ", not publishable: " + strings.Join(c.Reasons, ", "), Style: terminal.Warn})
		}
		brought := "published in %s, cycle %s"
		if c.BeforeRecords {
			brought = "or earlier: so it was in %s, cycle %s, the last one before steps were recorded"
		}
		fact := doc.Fact{Name: terminal.Stamp(c.PublishedAt), Value: value,
			Below: []doc.Fact{{Name: "since", Value: doc.Format(brought, doc.Link(r.path(c.CycleID), fmt.Sprintf("version %d", c.Version)), doc.Code(c.CycleID))}}}
		if c.FetchedAt != nil {
			fact.Below = append(fact.Below, doc.Fact{Name: "fetched", Value: doc.Line{doc.Stamp(*c.FetchedAt)}})
		}
		list = append(list, fact)
	}
	return list
}

// words are the price that a change brought.
func (c *Change) words() string {
	switch {
	case !c.Present:
		return "went away"
	case c.Decimal != nil && c.Fractional != nil:
		return *c.Decimal + " (" + *c.Fractional + ")"
	case c.Decimal != nil:
		return *c.Decimal
	case c.Fractional != nil:
		return *c.Fractional
	case slices.Contains(c.Absent, "odds_decimal") && slices.Contains(c.Absent, "odds_fractional"):
		return "no price was sent"
	}
	return "without a price"
}

func (r *Report) samples() (list []doc.Fact) {
	for _, s := range r.Steps {
		fact := doc.Fact{Name: terminal.Stamp(s.FetchedAt), Value: doc.Format("%-9s %s", s.Clock, s.Gave)}
		if !s.Sampled {
			fact.Value = append(fact.Value, doc.Soft(" (not in the list)"))
		}
		for _, m := range s.Moved {
			fact.Below = append(fact.Below, doc.Fact{Name: "moved", Value: doc.Words(m)})
		}
		fact.Below = append(fact.Below, r.pieces(s.From)...)
		list = append(list, fact)
	}
	return list
}

// answers lists the answers with the pieces, and the command to print the last of them.
func (r *Report) answers(data string) (list []doc.Fact) {
	for _, s := range r.Sources {
		list = append(list, doc.Fact{Name: "answer",
			Value: doc.Format("%s %s, %s, fetched %s, sha256 %s", doc.Code(s.Cycle), r.answer(s.Cycle, s.Response),
				s.Endpoint, doc.Stamp(s.FetchedAt), doc.Code(s.SHA256)),
			Below: []doc.Fact{{Name: "file", Only: doc.Page, Value: doc.Format("%s, %s", doc.Code(strings.TrimSpace(s.File+" "+s.Member)), terminal.Size(s.Bytes))}}})
	}
	if n := len(list); n > 0 && data != "" {
		list = append(list, doc.Fact{Only: doc.Terminal, Value: doc.Words(r.unpack(data, r.Sources[n-1]))})
	}
	return list
}

func (r *Report) unpack(data string, s Source) string {
	file := filepath.Join(data, filepath.FromSlash(layout.TenantProduct(r.Tenant, string(r.Product))), filepath.FromSlash(s.File))
	if s.Member != "" {
		return fmt.Sprintf("tar --zstd -xOf %q %q | jq .", file, s.Member)
	}
	return fmt.Sprintf("zstd -dc %q | jq .", file)
}
