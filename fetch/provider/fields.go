package provider

import (
	"strings"

	"mkt/fetch/internal/strictjson"
)

// Fields counts the members of answers, by the names that lead to them: "results.main.sp". The
// code that parses an answer reports it, so no answer is parsed for this alone. A nil Fields
// counts nothing and costs nothing. It is not safe for concurrent use.
type Fields struct {
	kinds       map[string]*member // by endpoint: the answers themselves
	keyed       []string
	items, size int
	tooMany     bool
}

// Field is how often a member is in answers. They are counted by the item: an entry of the answer's
// outermost list, or the whole answer outside of it.
type Field struct {
	Has      int  // items with the member
	Objects  int  // items in which it is an object or a list of objects, and so could have members
	Envelope bool // it is outside of the outermost list: each item is an answer
}

// mostFields bounds the members of one kind of answer. Real ones have at most a hundred.
const mostFields = 500

// anyKey stands for keys that are no names of members, but of things.
const anyKey = "*"

// NewFields returns a Fields for answers of the provider.
func (p *Provider) NewFields() *Fields {
	return &Fields{kinds: make(map[string]*member), keyed: p.Keyed}
}

type member struct {
	name                string
	keyed               bool // its own members are things, by their keys
	envelope            bool
	has, objects        int
	lastHas, lastObject int       // the items that were counted last
	members             []*member // in the order in which they were found
	byKey               map[string]*member
}

// Add counts the members of an answer of an endpoint. An answer that found nothing may have another form: it does
// not count.
func (f *Fields) Add(endpoint string, answer strictjson.Value) {
	if f == nil || !hasEntry(answer) {
		return
	}
	m := f.kinds[endpoint]
	if m == nil {
		m = &member{envelope: true}
		f.kinds[strings.Clone(endpoint)] = m
	}
	f.items++
	m.has++
	f.content(m, answer, f.items, true)
}

// hasEntry reports whether an answer is a list with an entry, or has such a list.
func hasEntry(answer strictjson.Value) bool {
	for _, v := range answer.Members() {
		if v.Kind() == strictjson.Array && !v.IsEmpty() {
			return true
		}
	}
	return answer.Kind() == strictjson.Array && !answer.IsEmpty()
}

// content counts what is in a member: of an object its members, of a list those of its entries.
func (f *Fields) content(m *member, v strictjson.Value, item int, envelope bool) {
	switch v.Kind() {
	case strictjson.Array:
		for entry := range v.Items() {
			if envelope {
				f.items++
				item = f.items
			}
			f.content(m, entry, item, false)
		}
	case strictjson.Object:
		if m.lastObject != item {
			m.lastObject = item
			m.objects++
		}
		next := 0
		for key, value := range v.Members() {
			one := f.member(m, key, &next, envelope)
			if one == nil {
				continue
			}
			if one.lastHas != item {
				one.lastHas = item
				one.has++
			}
			if kind := value.Kind(); kind == strictjson.Object || kind == strictjson.Array {
				f.content(one, value, item, envelope)
			}
		}
	}
}

// member returns the member of m with a key. Most objects have the same members in the same order, so
// the one behind that found last comes first.
func (f *Fields) member(m *member, key string, next *int, envelope bool) *member {
	if *next < len(m.members) && m.members[*next].name == key {
		*next++
		return m.members[*next-1]
	}
	if m.keyed || !isName(key) {
		key = anyKey
	}
	if one := m.byKey[key]; one != nil {
		return one
	}
	if f.size >= mostFields*len(f.kinds) {
		f.tooMany = true
		return nil
	}
	f.size++
	one := &member{name: strings.Clone(key), envelope: envelope}
	for _, keyed := range f.keyed {
		one.keyed = one.keyed || key == keyed
	}
	if m.byKey == nil {
		m.byKey = make(map[string]*member)
	}
	m.members, m.byKey[one.name] = append(m.members, one), one
	*next = len(m.members)
	return one
}

// isName reports whether a key can be the name of a member, and not an id, a date or a text.
func isName(key string) bool {
	digits := 0
	for i := 0; i < len(key); i++ {
		c := key[i]
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c <= ' ' || c > '~' || c == '.' || c == '*':
			return false
		}
	}
	return digits < len(key) && digits < 4 && len(key) <= 64
}

// Join returns the counts of several Fields together, by endpoint and path; the path "" is the answer
// itself. It returns nil if there are too many members: then they are no names.
func Join(all ...*Fields) map[string]map[string]Field {
	sum := make(map[string]map[string]Field)
	for _, f := range all {
		if f.tooMany {
			return nil
		}
		for endpoint, m := range f.kinds {
			if sum[endpoint] == nil {
				sum[endpoint] = make(map[string]Field)
			}
			m.add(sum[endpoint], "")
			if len(sum[endpoint]) > mostFields {
				return nil
			}
		}
	}
	return sum
}

func (m *member) add(sum map[string]Field, path string) {
	s := sum[path]
	sum[path] = Field{s.Has + m.has, s.Objects + m.objects, m.envelope}
	for _, one := range m.members {
		one.add(sum, strings.TrimPrefix(path+"."+one.name, "."))
	}
}
