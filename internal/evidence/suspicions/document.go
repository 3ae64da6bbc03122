package suspicions

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mkt/internal/evidence/document"
)

// maxShown bounds each list for people.
const maxShown = 300

// Names gives a fixture, by the provider's id, a name with a link to its page; ok is false if it is not known.
type Names func(providerID string) (name, link string, ok bool)

// Pages are the addresses of pages of the console: of the cycle, and of the one compared with it.
type Pages struct{ Cycle, Before string }

// Document returns what looks wrong in a cycle for people. before, which may be nil, is the cycle of the
// publication before, version its number, and missing says why there is none.
func (c *Cycle) Document(before *Cycle, version uint64, missing string, names Names, pages Pages) *document.Document {
	d := &document.Document{Title: "What the mapping says of the cycle", Sections: []document.Section{{Notes: []document.Note{
		{Line: document.Line{document.Soft("The archived answers, read again by the rules of this build. A suspicion changes no data: a bookmaker's own mistakes look the same.")}}}}}}
	switch {
	case missing != "":
		d.Sections[0].Notes = append(d.Sections[0].Notes, document.Note{Line: document.Line{document.Soft(missing)}})
	case before != nil:
		came, went := c.Lacking(before), before.Lacking(c)
		for i := range came {
			came[i].Unrefreshed = false
		}
		d.Sections = append(d.Sections, list(fmt.Sprintf("Came since version %d", version), came, 0, names, pages.Cycle),
			list(fmt.Sprintf("Went since version %d", version), went, 0, names, pages.Before))
	}
	d.Sections = append(d.Sections, list("Suspicious markets", c.Markets, c.More, names, pages.Cycle))
	unread := document.Section{Title: fmt.Sprintf("What could not be read: %d", len(c.Unreadable)), Class: "long"}
	if len(c.Unreadable) > 0 {
		unread.Table = &document.Table{Columns: document.Columns("#Answer", "What", "#How often")}
	}
	for _, u := range c.Unreadable[:min(len(c.Unreadable), maxShown)] {
		unread.Table.Add(answer(pages.Cycle, u.Answer), u.What, u.Count)
	}
	d.Sections = append(d.Sections, closed(unread, len(c.Unreadable)))
	return d
}

func answer(page string, number int) document.Span {
	return document.Link(fmt.Sprintf("%s/answers/%d", page, number), fmt.Sprintf("#%d", number))
}

// closed adds how many lines of a section are left out, or that there are none.
func closed(s document.Section, all int) document.Section {
	switch {
	case all == 0:
		s.Notes = []document.Note{{Line: document.Line{document.Soft("none")}}}
	case all > maxShown:
		s.Notes = []document.Note{{Line: document.Line{document.Soft(fmt.Sprintf("The first %d of %d.", maxShown, all))}}}
	}
	return s
}

// list is a section with markets, in the order of their kinds and fixtures.
func list(title string, markets []Market, more int, names Names, page string) document.Section {
	all := len(markets) + more
	s := document.Section{Title: fmt.Sprintf("%s: %d", title, all), Class: "long"}
	type line struct {
		*Market
		fixture document.Span
	}
	var lines []line
	for i := range markets {
		l := line{&markets[i], document.Code(markets[i].Fixture)}
		if name, link, ok := names(l.Fixture); ok {
			l.fixture = document.Link(link, name)
		}
		lines = append(lines, l)
	}
	slices.SortStableFunc(lines, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.fixture.Words, b.fixture.Words))
	})
	if all > 0 {
		s.Table = &document.Table{Class: "wide", Columns: document.Columns("Suspicion", "Fixture", "Market", "What was seen", "#Answer")}
	}
	for _, l := range lines[:min(len(lines), maxShown)] {
		kind := document.Line{document.Code(l.Kind.String())}
		if l.Unrefreshed {
			kind = append(kind, document.Soft(" the fixture was not fetched again"))
		}
		market := cmp.Or(strings.TrimSpace(strings.Join([]string{l.Canonical, l.Period, l.Subject}, " ")), "RAW")
		s.Table.Add(kind, l.fixture, document.Line{{Words: market + " "}, {Words: l.Key, Code: true, Class: "soft"}}, l.Seen, answer(page, l.Answer))
	}
	return closed(s, all)
}
