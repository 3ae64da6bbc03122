package esoccer

import (
	"strings"
	"sync"
)

// names are the names unchanged from one list to the next.
type names struct{ league, home, away string }

func (n names) size() int { return len(n.league) + len(n.home) + len(n.away) }

const (
	mostKnown = 4096 // fixtures of one generation: more than all providers list in play together
	mostBytes = 1024 // of the names of a remembered fixture
)

// rules remembers the rules of the newest fixtures: a list of fixtures in play is read every
// few seconds, and looking at names costs more than the rest of an item. It
// keeps two generations, so its memory is bounded. It is safe for concurrent use.
type rules struct {
	mu       sync.Mutex
	new, old map[names]string
}

var known rules

// rule returns the result of decide for n.
func (r *rules) rule(n names, decide func(names) string) string {
	if n.size() > mostBytes {
		return decide(n)
	}
	r.mu.Lock()
	rule, found := r.new[n]
	if !found {
		rule, found = r.old[n]
		if found {
			r.keep(n, rule)
		}
	}
	r.mu.Unlock()
	if found {
		return rule
	}
	rule = decide(n)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keep(n, rule)
	return rule
}

// keep adds names to the new generation. The names are copied: they may be parts of a
// whole answer.
func (r *rules) keep(n names, rule string) {
	if len(r.new) >= mostKnown {
		r.old, r.new = r.new, nil
	}
	if r.new == nil {
		r.new = make(map[names]string)
	}
	r.new[names{strings.Clone(n.league), strings.Clone(n.home), strings.Clone(n.away)}] = rule
}
