package decode

import (
	"fmt"

	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/publish/football"
)

// Renamed is the damage of an item without a member the provider always sends, but
// with an unknown one.
const Renamed = "item: a member is missing, and an unknown one is there"

// WithNull is the damage of an item that has null where the provider always sends a value.
const WithNull = "item: null, where there is always a value"

// TwoFixtures is why items are not used: the list has one id for two fixtures.
const TwoFixtures = "an id of two fixtures"

// Listing joins the pages of a list of fixtures.
type Listing struct {
	Broken, Unknown Counts
	Damaged         Counts // of the items alone; see AddDamage

	fixtures    map[string]provider.ListedFixture
	filtered    map[string]string // the rule by which a fixture was left out, by its id
	doubted     map[string]bool   // ids of two fixtures
	elsewhere   Counts            // damage of no item
	items, read int
	hurt        int  // items damaged or of another format
	damaged     int  // damage counted before the current item
	isDamaged   bool // the current item
}

// NewListing returns a listing without fixtures.
func NewListing() *Listing {
	return &Listing{fixtures: make(map[string]provider.ListedFixture), filtered: make(map[string]string), doubted: make(map[string]bool)}
}

// AddDamage counts a damaged part of an answer that is not a part of an item.
func (l *Listing) AddDamage(what string) { l.elsewhere.Add(what) }

// Count counts an item of the list, whose damage is among Damaged, and reports whether it
// can be used: broken says why it cannot, "" if it can.
func (l *Listing) Count(broken string) bool {
	before := l.damaged
	l.damaged = l.Damaged.total()
	if l.items++; broken != "" {
		l.Broken.Add(broken)
		return false
	}
	l.read++
	l.isDamaged = l.damaged > before
	return true
}

// Keep adds a fixture whose item has been counted, or leaves it out if rule is not "".
// format compares the item with the known format.
//
// If the list has an id twice, the later item is used, because lists move while they are
// read. If the two items are of other teams, or only one of them is left out, they are
// two fixtures: which of them the id belongs to is not known, and neither is used.
func (l *Listing) Keep(f provider.ListedFixture, rule string, format Format) {
	for _, name := range format.Unknown {
		l.Unknown.Add(name)
	}
	if format.Changed {
		l.Damaged.Add(Renamed)
		l.damaged++
	}
	if format.Null {
		l.Damaged.Add(WithNull)
		l.damaged++
	}
	if l.isDamaged || format.Changed || format.Null {
		l.hurt++
	}
	id := f.ProviderFixtureID
	before, listed := l.fixtures[id]
	_, filtered := l.filtered[id]
	if filtered && rule == "" || listed && (rule != "" || isOther(&before.Fixture, &f.Fixture)) {
		l.doubted[id] = true
	}
	if rule != "" {
		l.filtered[id] = rule
		return
	}
	l.fixtures[id] = f
}

// isOther reports whether two items of one id are of two fixtures: neither team is the
// same, or one is not and the league is another. One name alone may have been corrected.
func isOther(a, b *football.Fixture) bool {
	same, other := 0, 0
	for _, names := range [2][2]football.Field[string]{{a.Home, b.Home}, {a.Away, b.Away}} {
		switch {
		case differ(names[0], names[1]):
			other++
		case names[0].State() == football.Present && names[1].State() == football.Present:
			same++
		}
	}
	return other > 0 && (same == 0 || differ(a.League, b.League))
}

func differ(a, b football.Field[string]) bool {
	x, okX := a.Get()
	y, okY := b.Get()
	return okX && okY && x != y
}

// Result returns the listing. It is an error if none of several items had an id.
func (l *Listing) Result(endpoint string) (provider.Listing, error) {
	if err := CheckIDs(l.items, l.read); err != nil {
		return provider.Listing{}, fmt.Errorf("%s: %w", endpoint, err)
	}
	for id := range l.doubted {
		delete(l.fixtures, id)
		delete(l.filtered, id)
		l.Broken.Add(TwoFixtures)
	}
	for what, n := range l.elsewhere {
		for range n {
			l.Damaged.Add(what)
		}
	}
	return provider.Listing{Fixtures: l.fixtures, Filtered: countRules(l.filtered), Broken: l.Broken, Unknown: l.Unknown, Damaged: l.Damaged,
		Met: l.items, Hurt: l.hurt}, nil
}

// countRules counts fixtures left out, by rule.
func countRules(filtered map[string]string) Counts {
	var rules Counts
	for _, rule := range filtered {
		rules.Add(rule)
	}
	return rules
}

// Format is how well an object fits the format that is known.
type Format struct {
	Unknown []string // unknown members, with the name of their object
	// Changed reports whether a member the provider always sends is missing, while
	// an unknown one is there: it has probably got another name.
	Changed bool
	// Null reports whether there is null where the provider always sends a value.
	Null bool
}

// Compare adds how well an object fits, under its name. known are all members seen so
// far, and always those that the provider never leaves out.
func (f *Format) Compare(object strictjson.Value, what string, known map[string]bool, always ...string) {
	if object.Kind() != strictjson.Object {
		return
	}
	f.Null = f.Null || HasNull(object, always...)
	unknown := len(f.Unknown)
	for name := range object.Members() {
		if !known[name] {
			f.Unknown = append(f.Unknown, what+"."+name)
		}
	}
	if len(f.Unknown) > unknown {
		f.Changed = f.Changed || LacksAny(object, always...)
	}
}

// CompareNamed adds how well an object with a name and an id fits, such as a team. Of its
// other members only texts count: one of them may be the name.
func (f *Format) CompareNamed(object strictjson.Value) {
	f.Null = f.Null || HasNull(object, "name")
	if object.Kind() != strictjson.Object || !LacksAny(object, "name") {
		return
	}
	for name, v := range object.Members() {
		f.Changed = f.Changed || v.Kind() == strictjson.String && !besideNames[name]
	}
}

// besideNames are the members with texts that providers send beside a name.
var besideNames = Set("id", "cc", "image_id", "logo", "country", "flag", "round", "season", "image_path", "short_code", "type", "sub_type", "gender", "last_played_at")

// HasNull reports whether one of some members of an object is null. For members that a
// provider always sends with a value, null is not "none": the answer is damaged.
func HasNull(object strictjson.Value, members ...string) bool {
	for _, m := range members {
		if object.Get(m).Kind() == strictjson.Null {
			return true
		}
	}
	return false
}

// LacksValue reports whether one of some members of an object is missing or null.
func LacksValue(object strictjson.Value, members ...string) bool {
	return LacksAny(object, members...) || HasNull(object, members...)
}

// LacksAny reports whether an object lacks one of some members.
func LacksAny(object strictjson.Value, members ...string) bool {
	for _, m := range members {
		if object.Get(m).Kind() == strictjson.Absent {
			return true
		}
	}
	return false
}
