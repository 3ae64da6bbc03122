package tenants

import (
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"mkt/publish/football"
	"mkt/serve/account"
)

// Editor changes the nodes of a tenants file. Every method names a tenant and changes one key of its
// entry; the entry's other keys, comments and order stay.
type Editor struct {
	name    string
	doc     yaml.Node
	body    []byte // of the file, without its seal
	before  *File
	style   style
	touched map[string]bool // tenants that the edit may change
}

func newEditor(name string, data []byte) (*Editor, error) {
	before, err := Parse(name, data)
	if err != nil {
		return nil, err
	}
	body := unseal(data).body
	marked := markBlankLines(body)
	if same, err := Parse(name, marked); err != nil || !reflect.DeepEqual(withoutLines(before), withoutLines(same)) {
		marked = body // a blank line is inside a value: lose the other blank lines
	}
	e := &Editor{name: name, body: body, before: before, style: styleOf(data), touched: map[string]bool{}}
	return e, yaml.Unmarshal(marked, &e.doc)
}

// withoutLines returns the tenants without their line numbers.
func withoutLines(f *File) []Tenant {
	list := slices.Clone(f.Tenants)
	for i := range list {
		list[i].Line = 0
	}
	return list
}

// File is the generation the edit started from.
func (e *Editor) File() *File { return e.before }

// Add appends a tenant.
func (e *Editor) Add(t Tenant) error {
	if _, taken := e.before.Tenant(t.ID); taken {
		return fmt.Errorf("tenant %s exists already in %s", t.ID, e.name)
	}
	list := ensure(e.doc.Content[0], "tenants", yaml.SequenceNode)
	list.Content = append(list.Content, tenantNode(t))
	list.Style &^= yaml.FlowStyle
	e.touched[t.ID] = true
	return nil
}

// Replace replaces a tenant's whole entry, or adds it.
func (e *Editor) Replace(t Tenant) error {
	if _, there := e.before.Tenant(t.ID); !there {
		return e.Add(t)
	}
	entry, err := e.entry(t.ID)
	if err != nil {
		return err
	}
	replace(entry, tenantNode(t))
	return nil
}

// SetProvider sets or replaces a tenant's provider connection.
func (e *Editor) SetProvider(id string, p Provider) error {
	return e.set(id, "provider", providerNode(p))
}

// set sets a key of a tenant's entry; nil removes it.
func (e *Editor) set(id, key string, value *yaml.Node) error {
	entry, err := e.entry(id)
	if err != nil {
		return err
	}
	setKey(entry, key, value)
	return nil
}

// entry returns a tenant's mapping and records that it may change.
func (e *Editor) entry(id string) (*yaml.Node, error) {
	list := child(e.doc.Content[0], "tenants")
	if list != nil {
		for _, item := range list.Content {
			if n := child(item, "id"); n != nil && n.Value == id {
				e.touched[id] = true
				return item, nil
			}
		}
	}
	return nil, &UnknownError{File: e.name, ID: id, Known: e.before.IDs()}
}

// UnknownError is the error for an id that no tenant of the file has.
type UnknownError struct {
	File  string
	ID    string
	Known []string
}

func (e *UnknownError) Error() string {
	switch n := len(e.Known); {
	case n == 0:
		return fmt.Sprintf("no tenant %q: %s lists none yet; add one with mkt tenant add", e.ID, e.File)
	case n <= 8:
		return fmt.Sprintf("no tenant %q in %s: it lists %s", e.ID, e.File, joinWords(e.Known))
	default:
		return fmt.Sprintf("no tenant %q among the %d of %s: mkt tenant list shows them", e.ID, n, e.File)
	}
}

func tenantNode(t Tenant) *yaml.Node {
	n := mapping("id", text(t.ID))
	if t.Name != "" {
		setKey(n, "name", text(t.Name))
	}
	setKey(n, "status", text(string(t.Status)))
	if len(t.Tokens) > 0 {
		setKey(n, "tokens", sequence(t.Tokens, tokenNode))
	}
	setKey(n, "products", productsNode(t.Products))
	if len(t.Features) > 0 {
		setKey(n, "features", featuresNode(t.Features))
	}
	if len(t.Origins) > 0 {
		setKey(n, "origins", sequence(t.Origins, text))
	}
	if t.Limit != account.DefaultLimit && t.Limit != (account.Limit{}) {
		setKey(n, "rate_limit", limitNode(t.Limit))
	}
	if t.Provider != nil {
		setKey(n, "provider", providerNode(*t.Provider))
	}
	if len(t.Schedule) > 0 {
		setKey(n, "schedule", scheduleNode(t.Schedule))
	}
	return n
}

func tokenNode(t Token) *yaml.Node {
	return mapping("sha256", text(hex.EncodeToString(t.Digest[:])), "hint", text(t.Hint), "issued_at", moment(t.IssuedAt))
}

func productsNode(m map[football.Product]account.Subscription) *yaml.Node {
	n := mapping()
	for _, p := range account.Products() {
		if s, ok := m[p]; ok {
			setKey(n, string(p), subscriptionNode(s))
		}
	}
	return n
}

func subscriptionNode(s account.Subscription) *yaml.Node {
	n := mapping()
	n.Style = yaml.FlowStyle
	if s.Starts != nil {
		setKey(n, "starts", moment(*s.Starts))
	}
	if s.Expires != nil {
		setKey(n, "expires", moment(*s.Expires))
	}
	return n
}

func featuresNode(m map[string]bool) *yaml.Node {
	n := mapping()
	for _, f := range Features() {
		if on, ok := m[f]; ok {
			setKey(n, f, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(on)})
		}
	}
	return n
}

func limitNode(l account.Limit) *yaml.Node {
	n := mapping("requests", number(l.Requests), "per", text(l.Per.String()), "burst", number(l.Burst))
	n.Style = yaml.FlowStyle
	return n
}

func scheduleNode(m map[football.Product]string) *yaml.Node {
	n := mapping()
	for _, p := range account.Products() {
		if expr, ok := m[p]; ok {
			setKey(n, string(p), text(expr))
		}
	}
	return n
}

func providerNode(p Provider) *yaml.Node {
	n := mapping("name", text(p.Name))
	if p.BaseURL != "" {
		setKey(n, "base_url", text(p.BaseURL))
	}
	if p.Bookmaker != "" {
		setKey(n, "bookmaker", text(p.Bookmaker))
	}
	if p.AllowPrivateAddress {
		setKey(n, "allow_private_address", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"})
	}
	setKey(n, "hint", text(p.Hint))
	setKey(n, "credential", sealedNode(p.Credential))
	if p.KnownAs != "" {
		setKey(n, "fingerprint", text(p.KnownAs))
	}
	if p.Disabled {
		setKey(n, "disabled", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"})
	}
	return n
}

func sealedNode(credential string) *yaml.Node {
	n := text(strings.TrimSpace(credential) + "\n")
	n.Style = yaml.LiteralStyle
	return n
}

func moment(t time.Time) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!timestamp", Value: t.UTC().Format(time.RFC3339)}
}

func number(v int) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(v)}
}

// text is a scalar that stays a text: it is quoted if YAML would read it as something else.
func text(s string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(s)
	return n
}

// mapping makes a block mapping from pairs of key and node.
func mapping(pairs ...any) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for pair := range slices.Chunk(pairs, 2) {
		n.Content = append(n.Content, text(pair[0].(string)), pair[1].(*yaml.Node))
	}
	return n
}

func sequence[T any](list []T, node func(T) *yaml.Node) *yaml.Node {
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, v := range list {
		n.Content = append(n.Content, node(v))
	}
	return n
}
