package strictjson

import "iter"

// Kind of a value. The zero Kind is that of an absent value.
type Kind uint8

const (
	Absent Kind = iota
	Null
	False
	True
	Number
	String
	Object
	Array
)

// node is one value, or one key of an object. Values lie in the order of the
// text, each before its content; the members of an object alternate key
// and value.
type node struct {
	start, end uint32 // its text; of a string, the characters inside the quotes
	next       uint32 // index of the node behind it and all it contains
	kind       Kind
	escaped    bool // a string with at least one escape
	repeats    bool // an object with a repeated key
}

// Document is one parsed text. Its zero value is ready for use. Parse may be called
// more than once: it invalidates every Value of the text before, but not the strings
// taken from them. Parse must not be called concurrently with other methods.
type Document struct {
	text  string
	nodes []node
}

// Root returns the outermost value, absent before the first successful Parse.
func (d *Document) Root() Value {
	if len(d.nodes) == 0 {
		return Value{}
	}
	return Value{d, 0}
}

// Clear releases the text.
func (d *Document) Clear() { d.text, d.nodes = "", d.nodes[:0] }

// Size returns the capacity of the index, in values and keys.
func (d *Document) Size() int { return cap(d.nodes) }

// Value is one value of a document. The zero Value is absent: it has no
// members, no items and no text.
type Value struct {
	d  *Document
	at uint32
}

// Kind returns the kind of the value; Absent for the zero Value.
func (v Value) Kind() Kind {
	if v.d == nil {
		return Absent
	}
	return v.d.nodes[v.at].kind
}

// Text returns the content of a string with its escapes resolved, and of everything
// else its own characters, white space included; "" if it is absent.
func (v Value) Text() string {
	if v.d == nil {
		return ""
	}
	return v.d.textOf(v.d.nodes[v.at])
}

func (d *Document) textOf(n node) string {
	s := d.text[n.start:n.end]
	if n.escaped {
		return unescape(s)
	}
	return s
}

// Repeats reports whether v is an object with a repeated key. It
// does not look into the values of the object.
func (v Value) Repeats() bool { return v.d != nil && v.d.nodes[v.at].repeats }

// Once returns the member of an object with that key, absent if there is none or
// v is no object. It is not ok if the key occurs more than once: then the member
// is the first of them.
func (v Value) Once(key string) (member Value, ok bool) {
	if !v.Repeats() {
		return v.Get(key), true
	}
	n := 0
	for k, m := range v.Members() {
		if k != key {
			continue
		}
		if n++; n == 1 {
			member = m
		}
	}
	return member, n < 2
}

// Get returns the first member of an object with that key, absent if there is
// none or v is no object.
func (v Value) Get(key string) Value {
	for k, member := range v.Members() {
		if k == key {
			return member
		}
	}
	return Value{}
}

// Members yields the members of an object in the order of the text, and every member of
// a repeated key. It yields nothing if v is no object.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.Kind() != Object {
			return
		}
		d := v.d
		for i, end := v.at+1, d.nodes[v.at].next; i < end; {
			if !yield(d.textOf(d.nodes[i]), Value{d, i + 1}) {
				return
			}
			i = d.nodes[i+1].next
		}
	}
}

// Items yields the items of an array in the order of the text, and nothing if v is no
// array.
func (v Value) Items() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.Kind() != Array {
			return
		}
		d := v.d
		for i, end := v.at+1, d.nodes[v.at].next; i < end; i = d.nodes[i].next {
			if !yield(Value{d, i}) {
				return
			}
		}
	}
}

// IsEmpty reports whether v is an array or an object that holds nothing.
func (v Value) IsEmpty() bool {
	kind := v.Kind()
	return (kind == Array || kind == Object) && v.d.nodes[v.at].next == v.at+1
}

// Len returns how many items an array or members an object has, and 0 for others.
func (v Value) Len() (n int) {
	switch v.Kind() {
	case Array:
		for range v.Items() {
			n++
		}
	case Object:
		for range v.Members() {
			n++
		}
	}
	return n
}
