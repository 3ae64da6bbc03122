package transparency

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/note"

	"mkt/publish/durable"
)

// maxPolicy is how many lines of a kind a policy may have, and how long it may be.
const (
	maxPolicyNames = 256
	maxPolicyBytes = 1 << 20
)

// Policy says whose signatures a checkpoint needs: that of a log, and those of enough witnesses.
// Source: c2sp.org/tlog-policy.
type Policy struct {
	Logs      []PolicyLog
	Witnesses []PolicyWitness

	groups map[string]group // by name
	quorum string
}

// PolicyLog is a log that a policy accepts. URL may be empty.
type PolicyLog struct {
	note.Verifier
	URL string
}

// PolicyWitness is a witness that a policy knows. Alias is its name in the policy. URL is where it
// takes checkpoints; it may be empty.
type PolicyWitness struct {
	note.Verifier
	Alias, URL string
}

// group has witnessed a checkpoint if so many of its members have.
type group struct {
	need    int
	members []string
}

const noQuorum = "none"

// ParsePolicy reads a policy.
func ParsePolicy(text []byte) (*Policy, error) {
	if len(text) > maxPolicyBytes {
		return nil, fmt.Errorf("policy: longer than %d bytes", maxPolicyBytes)
	}
	if !utf8.Valid(text) {
		return nil, errors.New("policy: it is not UTF-8")
	}
	p := &Policy{groups: map[string]group{}}
	r := policyReader{policy: p, keys: map[string]bool{}, ids: map[string]bool{}, used: map[string]bool{}}
	number := 0
	for line := range strings.SplitSeq(string(text), "\n") {
		number++
		if at := strings.IndexFunc(line, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }); at >= 0 {
			return nil, fmt.Errorf("policy, line %d: a control character", number)
		}
		words := strings.FieldsFunc(line, func(c rune) bool { return c == ' ' || c == '\t' })
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if err := r.line(words); err != nil {
			return nil, fmt.Errorf("policy, line %d: %w", number, err)
		}
	}
	if p.quorum == "" {
		return nil, fmt.Errorf("policy: it has no line quorum")
	}
	return p, nil
}

type policyReader struct {
	policy *Policy
	keys   map[string]bool // public keys that were met, with their kind
	ids    map[string]bool // names and ids of keys that were met
	used   map[string]bool // names that are a member of a group
}

func (r *policyReader) line(words []string) error {
	switch kind, rest := words[0], words[1:]; {
	case kind == "log" && (len(rest) == 1 || len(rest) == 2):
		return r.log(rest)
	case kind == "witness" && (len(rest) == 2 || len(rest) == 3):
		return r.witness(rest)
	case kind == "group" && len(rest) >= 3:
		return r.group(rest)
	case kind == "quorum" && len(rest) == 1:
		if r.policy.quorum != "" {
			return fmt.Errorf("a second quorum")
		}
		if rest[0] != noQuorum && !r.known(rest[0]) {
			return fmt.Errorf("quorum %s: no witness and no group before it has this name", rest[0])
		}
		r.policy.quorum = rest[0]
		return nil
	case slices.Contains([]string{"log", "witness", "group", "quorum"}, kind):
		return fmt.Errorf("a %s with %d words after it", kind, len(rest))
	default:
		return fmt.Errorf("begins with %q, and a line begins with log, witness, group or quorum", kind)
	}
}

func (r *policyReader) log(words []string) error {
	v, err := note.NewVerifier(words[0])
	if err != nil {
		return fmt.Errorf("log: %w", err)
	}
	if err := r.key("log", words[0]); err != nil {
		return err
	}
	if len(r.policy.Logs) == maxPolicyNames {
		return fmt.Errorf("more than %d logs", maxPolicyNames)
	}
	r.policy.Logs = append(r.policy.Logs, PolicyLog{v, at(words, 1)})
	return nil
}

func (r *policyReader) witness(words []string) error {
	v, err := NewCosignatureVerifier(words[1])
	if err != nil {
		return fmt.Errorf("witness %s: %w", words[0], err)
	}
	if err := r.name(words[0]); err != nil {
		return err
	}
	if err := r.key("witness", words[1]); err != nil {
		return err
	}
	if len(r.policy.Witnesses) == maxPolicyNames {
		return fmt.Errorf("more than %d witnesses", maxPolicyNames)
	}
	r.policy.Witnesses = append(r.policy.Witnesses, PolicyWitness{v, words[0], at(words, 2)})
	return nil
}

func (r *policyReader) group(words []string) error {
	name, threshold, members := words[0], words[1], words[2:]
	if err := r.name(name); err != nil {
		return err
	}
	if len(r.policy.groups) == maxPolicyNames {
		return fmt.Errorf("more than %d groups", maxPolicyNames)
	}
	for _, m := range members {
		if !r.known(m) {
			return fmt.Errorf("group %s: no witness and no group before it has the name %s", name, m)
		}
		if r.used[m] {
			return fmt.Errorf("group %s: %s is a member already", name, m)
		}
		r.used[m] = true
	}
	g := group{members: members}
	switch threshold {
	case "all":
		g.need = len(members)
	case "any":
		g.need = 1
	default:
		n, ok := decimal(threshold)
		if !ok || n < 1 || n > int64(len(members)) {
			return fmt.Errorf("group %s: the threshold %s is not all, any, or a number from 1 to %d", name, threshold, len(members))
		}
		g.need = int(n)
	}
	r.policy.groups[name] = g
	return nil
}

// name refuses a name that has been given.
func (r *policyReader) name(name string) error {
	if name == noQuorum || r.known(name) {
		return fmt.Errorf("the name %s cannot be given again", name)
	}
	return nil
}

func (r *policyReader) known(name string) bool {
	_, isGroup := r.policy.groups[name]
	return isGroup || r.policy.witness(name) != nil
}

// key refuses a public key that another line of the kind has, under whatever name, and another key of the same name and
// id, since a signature would be of either.
func (r *policyReader) key(kind, verifierKey string) error {
	name, id, key, err := parseVerifierKey(verifierKey)
	if err != nil {
		return err
	}
	public, named := kind+string(key[1:]), fmt.Sprintf("%s+%08x", name, id)
	if r.keys[public] || r.ids[named] {
		return fmt.Errorf("another %s has the same key, or the same name and key id", kind)
	}
	r.keys[public], r.ids[named] = true, true
	return nil
}

func at(words []string, i int) string {
	if i < len(words) {
		return words[i]
	}
	return ""
}

func (p *Policy) witness(alias string) *PolicyWitness {
	i := slices.IndexFunc(p.Witnesses, func(w PolicyWitness) bool { return w.Alias == alias })
	if i < 0 {
		return nil
	}
	return &p.Witnesses[i]
}

// OpenLog opens the log of a data root with the key of the policy that has signed its head. The error is
// [ErrOtherKey] if none has, and [ErrNoLog] if there is no log.
func (p *Policy) OpenLog(root durable.ReadFS) (*View, Signed, error) {
	for _, l := range p.Logs {
		view := NewView(root, l.Verifier)
		if head, err := view.Head(); !errors.Is(err, ErrOtherKey) {
			return view, head, err
		}
	}
	return nil, Signed{}, fmt.Errorf("%w than those of the policy", ErrOtherKey)
}

// Names reports whether a witness of the policy signs with a name.
func (p *Policy) Names(name string) bool {
	return slices.ContainsFunc(p.Witnesses, func(w PolicyWitness) bool { return w.Name() == name })
}

// Demands reports whether the policy demands any witness.
func (p *Policy) Demands() bool { return p.quorum != noQuorum }

// Within returns the time at which the quorum was met by cosignatures, the oldest first: at least one of the
// witnesses that the policy relies on has cosigned by then. first is the time by which it was met, and last
// the time from which on those that came later would have met it. Nil if it was not, or no witness is needed.
func (p *Policy) Within(by []Cosignature) (first, last *time.Time) {
	if !p.Demands() {
		return nil, nil
	}
	for i := range by {
		if first == nil && p.witnessed(p.quorum, by[:i+1]) {
			first = &by[i].At
		}
		if p.witnessed(p.quorum, by[i:]) {
			last = &by[i].At
		}
	}
	return first, last
}

// Cosignature is a valid cosignature of a witness of a policy.
type Cosignature struct {
	Witness string    `json:"witness"` // its name in the policy
	At      time.Time `json:"at"`
}

// Check opens a signed checkpoint under the policy: a log of the policy must have signed it.
// cosigned are the cosignatures of witnesses of the policy, oldest first, and enough says whether
// the quorum has cosigned. The error is [ErrCheckpoint].
func (p *Policy) Check(signed []byte) (c Signed, cosigned []Cosignature, enough bool, err error) {
	var known []note.Verifier
	origin, _, _ := strings.Cut(string(signed), "\n")
	for _, l := range p.Logs {
		if l.Name() == origin { // what another log has signed says nothing
			known = append(known, l.Verifier)
		}
	}
	for _, w := range p.Witnesses {
		known = append(known, w.Verifier)
	}
	if c, err = OpenSigned(signed, known...); err != nil {
		return c, nil, false, err
	}
	byLog := func(s note.Signature) bool {
		return slices.ContainsFunc(p.Logs, func(l PolicyLog) bool { return l.Name() == s.Name && l.KeyHash() == s.Hash && s.Name == c.Origin })
	}
	if !slices.ContainsFunc(c.Signatures, byLog) {
		return c, nil, false, fmt.Errorf("%w: no log of the policy has signed it", ErrCheckpoint)
	}
	for _, s := range c.Signatures {
		i := slices.IndexFunc(p.Witnesses, func(w PolicyWitness) bool { return w.Name() == s.Name && w.KeyHash() == s.Hash })
		if i < 0 {
			continue
		}
		at, err := CosignedAt(s)
		if err != nil {
			return c, nil, false, fmt.Errorf("%w: %w", ErrCheckpoint, err)
		}
		cosigned = append(cosigned, Cosignature{p.Witnesses[i].Alias, at})
	}
	slices.SortFunc(cosigned, func(a, b Cosignature) int { return a.At.Compare(b.At) })
	return c, cosigned, p.witnessed(p.quorum, cosigned), nil
}

// witnessed reports whether a witness or a group has witnessed a checkpoint.
func (p *Policy) witnessed(name string, by []Cosignature) bool {
	if name == noQuorum {
		return true
	}
	g, isGroup := p.groups[name]
	if !isGroup {
		return slices.ContainsFunc(by, func(c Cosignature) bool { return c.Witness == name })
	}
	n := 0
	for _, m := range g.members {
		if p.witnessed(m, by) {
			n++
		}
	}
	return n >= g.need
}
