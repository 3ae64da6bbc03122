package feed

import (
	"slices"
	"time"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/publish/football"
)

// kinds is a set of kinds of values.
type kinds uint16

const (
	aText    kinds = 1 << strictjson.String
	aNumber  kinds = 1 << strictjson.Number
	aFlag    kinds = 1<<strictjson.True | 1<<strictjson.False
	anObject kinds = 1 << strictjson.Object
	aList    kinds = 1 << strictjson.Array
	aNull    kinds = 1 << strictjson.Null
	isAbsent kinds = 1 << strictjson.Absent
)

// shape is which members an object of the feed has, and of which kinds, as
// docs/feed.schema.json says it to people.
type shape struct {
	name    string // of the object, in damage and unknown members
	members []member
}

type member struct {
	key string
	may kinds
}

// The objects of the feed.
var (
	fixtureShape = shape{"fixture", []member{{"id", aText}, {"home", aText | aNull}, {"away", aText | aNull},
		{"league", aText | aNull | isAbsent}, {"starts_at", aText | aNull | isAbsent}, {"status", aText}}}
	pricedShape = shape{"fixture", []member{{"id", aText}, {"retrieved_at", aText}, {"markets", aList}}}
	marketShape = shape{"market", []member{{"id", aText}, {"name", aText | aNull}, {"suspended", aFlag | isAbsent},
		{"selections", aList}, {"claim", anObject | isAbsent}}}
	rowShape = shape{"selection", []member{{"id", aText | aNull | isAbsent}, {"labels", anObject}, {"odds", anObject},
		{"suspended", aFlag | isAbsent}, {"claim", anObject | isAbsent}}}
	oddsShape  = shape{"odds", []member{{"decimal", aText | aNull | isAbsent}, {"fractional", aText | aNull | isAbsent}}}
	matchShape = shape{"match", append(slices.Clone(fixtureShape.members), member{"observed_at", aText | aNull | isAbsent},
		member{"clock", anObject | aNull | isAbsent}, member{"score", anObject | aNull | isAbsent}, member{"counters", anObject | aNull | isAbsent},
		member{"events", aList | aNull | isAbsent})}
	clockShape = shape{"clock", []member{{"half", someNumber}, {"minute", someNumber}, {"second", someNumber}, {"added", someNumber},
		{"running", aFlag | aNull | isAbsent}, {"shootout", aFlag | isAbsent}}}
	sidesShape = shape{"sides", []member{{"home", someNumber}, {"away", someNumber}}}
	eventShape = shape{"event", []member{{"id", aText}, {"kind", aText}, {"minute", aNumber}, {"added", aNumber | isAbsent}, {"side", aText},
		{"text", aText | aNull | isAbsent}}}
)

// maxText bounds a text, in bytes: that of a label is the longest.
const maxText = 512

const someNumber = aNumber | aNull | isAbsent

// fault returns the first thing in which an object is not of the shape, "" if there is none.
// It counts members that the shape does not have. One beside a member that is missing may be its new
// name; of the prices one is enough.
func (s *shape) fault(v strictjson.Value, unknown *decode.Counts) string {
	if v.Kind() != strictjson.Object {
		return s.name + ": not an object"
	}
	strange, absent := false, 0
	for key := range v.Members() {
		if !slices.ContainsFunc(s.members, func(m member) bool { return m.key == key }) {
			unknown.Add(s.name + "." + key)
			strange = true
		}
	}
	for _, m := range s.members {
		switch k := v.Get(m.key).Kind(); {
		case k == strictjson.String && len(v.Get(m.key).Text()) > maxText:
			return s.name + "." + m.key + ": too long"
		case m.may&(1<<k) != 0 && k == strictjson.Absent:
			absent++
		case m.may&(1<<k) != 0:
		case k == strictjson.Absent:
			return s.name + "." + m.key + ": missing"
		default:
			return s.name + "." + m.key + ": of a wrong kind"
		}
	}
	switch {
	case v.Repeats():
		return s.name + ": a key twice"
	case strange && absent > 0 && (s != &oddsShape || absent == len(s.members)):
		return s.name + ": a member is missing, and an unknown one is there"
	}
	return ""
}

// textOf reads a text in its three states; what is none was sent without a value.
func textOf(v strictjson.Value, key string) football.Field[string] {
	switch m, once := v.Once(key); {
	case m.Kind() == strictjson.Absent:
		return football.Field[string]{}
	case once && m.Kind() == strictjson.String && m.Text() != "":
		return football.Of(m.Text())
	}
	return football.NullField[string]()
}

// timeOf reads a time with its zone in its three states. It is not ok if the text is none.
func timeOf(v strictjson.Value, key string) (f football.Field[time.Time], ok bool) {
	text := textOf(v, key)
	if text.State() != football.Present {
		if text.State() == football.Null {
			f = football.NullField[time.Time]()
		}
		return f, true
	}
	t, err := time.Parse(time.RFC3339, text.Or(""))
	if t = t.UTC().Truncate(time.Millisecond); err != nil || t.Year() < 2000 || t.Year() > 2100 {
		return football.NullField[time.Time](), false
	}
	return football.Of(t), true
}
