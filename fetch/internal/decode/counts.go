package decode

import (
	"mkt/fetch/internal/strictjson"
	"mkt/publish/football"
)

// Counts are limited, because their names may come from outside.
const (
	maxNames = 200
	maxName  = 64 // bytes
)

// ManyMore counts the names beyond the limit of a Counts.
const ManyMore = "(more)"

// Counts counts by name. Its zero value is ready for use.
type Counts map[string]int

// Add counts one more of a name.
func (t *Counts) Add(name string) {
	if *t == nil {
		*t = make(Counts)
	}
	if len(name) > maxName {
		name = Head(name, maxName)
	}
	if _, known := (*t)[name]; !known && len(*t) >= maxNames {
		name = ManyMore
	}
	(*t)[name]++
}

// Text reads a member of an object as a text, in its three states. A member that is no
// text, which is counted as kind, or occurs twice, was sent without a readable value.
func (t *Counts) Text(object strictjson.Value, key, kind string) football.Field[string] {
	v, once := object.Once(key)
	if !once {
		return football.NullField[string]()
	}
	if IsWrong(v) {
		t.Add(kind)
	}
	return Field(v)
}

// Name is [Counts.Text] for the name of a thing, where a number is damage as well. ok is
// false if it was counted.
func (t *Counts) Name(object strictjson.Value, key, kind string) (name football.Field[string], ok bool) {
	if v, once := object.Once(key); once && (IsWrong(v) || v.Kind() == strictjson.Number) {
		t.Add(kind)
		return Field(v), false
	}
	return t.Text(object, key, kind), true
}

// Price reads a price of a row as it was sent, in its three states. A value other than text,
// which is counted as kind, is kept as it is, and will be found to be no price.
func (t *Counts) Price(row strictjson.Value, key, kind string) football.Field[string] {
	v, once := row.Once(key)
	switch {
	case once && IsWrong(v):
		t.Add(kind)
		return football.Of(Clip(v))
	case once:
		return Field(v)
	}
	return football.NullField[string]()
}

// total returns the sum of all counts.
func (t Counts) total() (n int) {
	for _, c := range t {
		n += c
	}
	return n
}

// Number reads a member of an object as a whole number of at most most, in its three
// states. A member that is no such number, which is counted as kind, or occurs twice,
// was sent without a readable value.
func (t *Counts) Number(object strictjson.Value, key string, most int, kind string) football.Field[int] {
	v, once := object.Once(key)
	n, ok := Whole(v, most)
	switch {
	case v.Kind() == strictjson.Absent:
		return football.Field[int]{}
	case once && ok:
		return football.Of(n)
	case !once || IsWrong(v) || v.Text() != "" && IsText(v):
		t.Add(kind)
	}
	return football.NullField[int]()
}

// AddUnknown counts the members of an object that are not among the known ones, under the
// object's name.
func (t *Counts) AddUnknown(object strictjson.Value, what string, known map[string]bool) {
	for name := range object.Members() {
		if !known[name] {
			t.Add(what + "." + name)
		}
	}
}

// Set returns a set of words, such as the members of an object that are known.
func Set(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}
