package find

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"mkt/internal/dataset"
	"mkt/internal/evidence/history"
	"mkt/internal/evidence/names"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// Priced returns the market or the selection found by words after the teams' names, "Arsenal match
// result home", as the path of an id: fx_…/mk_… or fx_…/mk_…/sl_…. It looks in the newest
// publication. The error is [ErrUnknown] if the text does not begin with a name, and a [Several] if
// several markets or selections fit.
func Priced(d dataset.Dataset, text string) (string, error) {
	root, err := d.Open()
	if err != nil {
		return "", err
	}
	defer root.Close()
	path, err := pricedIn(root, text)
	if err != nil && !errors.As(err, new(Several)) {
		err = fmt.Errorf("%s: %w", d, err)
	}
	return path, err
}

func pricedIn(root durable.ReadFS, text string) (string, error) {
	head, published, err := snapshot.Head(root)
	if err != nil {
		return "", err
	}
	if !published {
		return "", unknown(text)
	}
	id, rest, err := beginning(root, head, text)
	if err != nil {
		return "", err
	}
	manifest, err := snapshot.Open(root, head)
	if err != nil {
		return "", err
	}
	_, markets, _, err := snapshot.FixtureOf(root, head, manifest, id)
	if err != nil {
		return "", err
	}
	found := offered(markets, rest)
	if len(found) == 1 {
		return id + "/" + found[0].path, nil
	}
	if len(found) == 0 {
		return "", terminal.Usagef("%q: no market or price of %s has the words %q: mkt inspect %[2]s lists its markets", text, id, rest)
	}
	var list []string
	for _, f := range found[:min(len(found), maxCandidates)] {
		list = append(list, printable.Text(f.title)+" ("+f.path+")")
	}
	more := ""
	if n := len(found) - len(list); n > 0 {
		more = fmt.Sprintf(" or one of %d more", n)
	}
	return "", terminal.AsUsage(Several{fmt.Sprintf("%q may be %s%s: give more of its name, such as the line, or %s/ and the id", text, strings.Join(list, ", "), more, id)})
}

// leastStart is how many letters of a word stand for it.
const leastStart = 3

// beginning returns the fixture named by the first words of a text, as many as possible, and the
// other words. Whole words come before starts of words; shorter ones are no name, unlike those of a
// name alone: "no such" is no fixture of Novigrad.
func beginning(root durable.ReadFS, head snapshot.Commit, text string) (id, rest string, err error) {
	given := strings.Fields(text)
	whole, starts := make([]Candidates, len(given)), make([]Candidates, len(given)) // by the number of words
	err = newest(root, head, layout.FixturesFile, func(r *table.FixtureRow) {
		name := words(Name(r.Home, r.Away))
		add := func(to []Candidates, is func(word, given string) bool) {
			for n := 1; n < len(given) && slices.ContainsFunc(name, func(word string) bool { return is(word, names.Fold(given[n-1])) }); n++ {
				to[n].Add(names.Search(strings.Join(given[:n], " ")), r.FixtureID, r.Home, r.Away)
			}
		}
		add(whole, func(word, given string) bool { return word == given })
		add(starts, func(word, given string) bool {
			return utf8.RuneCountInString(given) >= leastStart && strings.HasPrefix(word, given)
		})
	})
	if err != nil {
		return "", "", err
	}
	for _, named := range [][]Candidates{whole, starts} {
		for n := len(given) - 1; n > 0; n-- {
			if name := strings.Join(given[:n], " "); named[n].all > 0 {
				return named[n].ids[0], strings.Join(given[n:], " "), named[n].Err(name)
			}
		}
	}
	return "", "", unknown(text)
}

// offer is a market or a selection found by words.
type offer struct {
	path, title string
	besides     int // words of the market's title missing from the text
}

// offered returns the market with all the words, or else the selections with the words left over.
// If several markets fit, those whose titles have the fewest other words win: "total goals" is not
// "Total goals, first half".
func offered(markets []table.MarketRow, text string) (best []offer) {
	query := words(text)
	add := func(o offer) {
		if len(best) > 0 && o.besides < best[0].besides {
			best = nil
		}
		if len(best) == 0 || o.besides == best[0].besides {
			best = append(best, o)
		}
	}
	for i := range markets {
		m := &markets[i]
		title := words(history.Title(m))
		of := words(history.Title(m), orEmpty(m.MarketName), orEmpty(m.Period))
		left := slices.DeleteFunc(slices.Clone(query), func(w string) bool { return slices.Contains(of, w) })
		if len(left) == len(query) {
			continue
		}
		besides := len(slices.DeleteFunc(slices.Clone(title), func(w string) bool { return slices.Contains(query, w) }))
		if len(left) == 0 {
			add(offer{m.MarketID, history.Heading(m), besides})
			continue
		}
		for j := range m.Selections {
			s := &m.Selections[j]
			has := words(history.NameOf(s), strings.TrimLeft(orEmpty(s.Line), "+-"))
			if !slices.ContainsFunc(left, func(w string) bool { return !slices.Contains(has, w) }) {
				add(offer{m.MarketID + "/" + s.SelectionID, history.Heading(m) + ", " + history.NameOf(s), besides})
			}
		}
	}
	return best
}

// words returns the words of texts as searches compare them.
func words(texts ...string) []string {
	return strings.FieldsFunc(names.Fold(strings.Join(texts, " ")), func(c rune) bool { return strings.ContainsRune(" ,()_", c) })
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
