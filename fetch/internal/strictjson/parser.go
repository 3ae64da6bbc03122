package strictjson

// Limits of an accepted text.
const (
	MaxDepth  = 64      // arrays and objects inside each other
	MaxString = 1 << 16 // bytes between the quotes
	MaxNumber = 64      // characters
	MaxValues = 1 << 19 // values and keys as Count counts them: real answers have up to 214,000
)

// Rules that even a whole text may break: a second request for it gives the same. A text
// that was cut may break every other rule.
const (
	RuleUTF8   = "not UTF-8"
	RuleDepth  = "nested too deep"
	RuleString = "string too long"
	RuleNumber = "number too long"
	RuleValues = "too many values"
)

// parser is one pass. After the first failure rule is set, at stays there, and
// every method returns at once.
type parser struct {
	text  string
	at    int
	depth int
	nodes []node
	keys  []string // of an object; used again
	rule  string
}

func (p *parser) fail(rule string) {
	if p.rule == "" {
		p.rule = rule
	}
}

// peek is the character at hand, 0 at the end of the text.
func (p *parser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// add appends a finished scalar that ends before p.at.
func (p *parser) add(kind Kind, start, end int, escaped bool) {
	next := uint32(len(p.nodes) + 1)
	p.nodes = append(p.nodes, node{start: uint32(start), end: uint32(end), next: next, kind: kind, escaped: escaped})
}
