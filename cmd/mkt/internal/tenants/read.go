package tenants

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"

	"go.yaml.in/yaml/v3"

	"mkt/cmd/mkt/internal/yamlerr"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/serve/account"
)

// What is read is bounded: a file has some 1 KB an account.
const (
	maxFile     = 32 << 20
	maxComments = 1 << 20
)

// Load reads and checks the file at path. A file that is wrong is an
// *InvalidError; one that is not there satisfies fs.ErrNotExist.
func Load(path string) (*File, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

func readFile(path string) ([]byte, error) {
	// Without O_NONBLOCK a pipe laid in the way would hold the reader for ever.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, &InvalidError{File: path, Problems: []Problem{{Reason: durable.ErrNotRegular.Error()}}})
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if len(data) > maxFile {
		return nil, &InvalidError{File: path, Problems: []Problem{{Reason: "larger than 32 MiB"}}}
	}
	return data, nil
}

// Parse checks the bytes of a tenants file; name is for messages. What is wrong
// comes back whole, as an *InvalidError.
func Parse(name string, data []byte) (*File, error) {
	r := &reader{}
	s := unseal(data)
	f := &File{Name: name, sum: sha256.Sum256(s.body), seal: s.seal, sealedAccounts: s.accounts, open: s.open}
	if s.cut {
		r.problem(nil, "", "is cut off: it says that it is sealed, and its last line, the seal, is missing: save it again whole; if it is whole, delete the line that begins with %q, then run mkt tenant validate --seal", sealTop)
	} else if doc := r.document(data); doc != nil {
		r.file(doc, f)
	}
	if len(r.problems) > 0 {
		slices.SortStableFunc(r.problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
		return nil, &InvalidError{File: name, Problems: r.problems}
	}
	return f, nil
}

// document parses the bytes into the one node at the top; nil after a problem.
func (r *reader) document(data []byte) *yaml.Node {
	if line := tooManyComments(data); line > 0 {
		r.problems = append(r.problems, Problem{Line: line, Reason: fmt.Sprintf("the comments down to here are over %d MiB: take them out", maxComments>>20)})
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		r.problem(nil, "", "is empty: want version: %d and tenants: []", Version)
		return nil
	case err != nil:
		r.notYAML(data)
		return nil
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		if err != nil {
			r.notYAML(data)
			return nil
		}
		r.problem(&more, "", "a second document: want one")
		return nil
	}
	if tagged := foreignTag(&doc); tagged != nil {
		r.problem(tagged, "", "a YAML tag that is not read here, such as !!python/object: write the value without it")
		return nil
	}
	return doc.Content[0]
}

// foreignTag finds a node with a tag that is none of a plain value.
func foreignTag(n *yaml.Node) *yaml.Node {
	if n.Style&yaml.TaggedStyle != 0 {
		switch n.ShortTag() {
		case "!!str", "!!int", "!!float", "!!bool", "!!null", "!!timestamp", "!!seq", "!!map":
		default:
			return n
		}
	}
	for _, c := range n.Content {
		if tagged := foreignTag(c); tagged != nil {
			return tagged
		}
	}
	return nil
}

// tooManyComments returns the line with which the comments become too many to be
// parsed, 0 if they do not.
func tooManyComments(data []byte) int {
	total, number := 0, 0
	for line := range bytes.Lines(data) {
		number++
		if total += commentOf(line); total > maxComments {
			return number
		}
	}
	return 0
}

// commentOf returns the length of a line's comment, or of what looks like one.
func commentOf(line []byte) int {
	for i, c := range line {
		if c == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			return len(line) - i
		}
	}
	return 0
}

// notYAML adds the problem of a text that is no YAML.
func (r *reader) notYAML(data []byte) {
	line, reason := yamlerr.Explain(data)
	r.problems = append(r.problems, Problem{Line: line, Reason: "not YAML: " + reason})
}

// file reads the top of the document and checks what holds between tenants.
func (r *reader) file(n *yaml.Node, f *File) {
	version := -1
	r.fields(n, "", map[string]func(*yaml.Node){
		"version": func(n *yaml.Node) { version = r.integer(n, "version", 0, 1<<30) },
		"tenants": func(n *yaml.Node) {
			for _, item := range r.items(n, "tenants") {
				f.Tenants = append(f.Tenants, r.tenantEntry(item))
			}
		},
	})
	r.tenant = ""
	switch {
	case len(r.problems) > 0 || version == Version:
	case version < 0:
		r.problem(n, "version", "is missing: want version: %d at the top", Version)
	default:
		r.problem(n, "version", "is %d: this build of mkt reads %d", version, Version)
	}
	r.unique(f)
}

// unique refuses an id or a token that two tenants share.
func (r *reader) unique(f *File) {
	ids := map[string]int{}
	tokens := map[[32]byte]string{}
	for i := range f.Tenants {
		t := &f.Tenants[i]
		if line, taken := ids[t.ID]; taken && t.ID != "" {
			r.problems = append(r.problems, Problem{t.Line, t.ID, "id", fmt.Sprintf("is taken by the tenant in line %d", line)})
		}
		ids[t.ID] = t.Line
		for _, token := range t.Tokens {
			if owner, taken := tokens[token.Digest]; taken {
				r.problems = append(r.problems, Problem{t.Line, t.ID, "tokens", "one of them is listed already, by tenant " + owner})
			}
			tokens[token.Digest] = t.ID
		}
	}
}

func (r *reader) tenantEntry(n *yaml.Node) Tenant {
	t := Tenant{Line: n.Line, Status: account.Active, Limit: DefaultLimit,
		Products: map[football.Product]account.Subscription{}, Features: map[string]bool{}, Schedule: map[football.Product]string{}}
	r.tenant = "" // until its id is known to be one
	if id := child(n, "id"); id != nil && layout.ValidTenantID(id.Value) {
		r.tenant = id.Value
	}
	r.fields(n, "", map[string]func(*yaml.Node){
		"id":         func(n *yaml.Node) { t.ID = r.id(n) },
		"name":       func(n *yaml.Node) { t.Name = r.text(n, "name") },
		"status":     func(n *yaml.Node) { t.Status = r.status(n) },
		"tokens":     func(n *yaml.Node) { t.Tokens = r.tokens(n) },
		"products":   func(n *yaml.Node) { r.products(n, t.Products) },
		"features":   func(n *yaml.Node) { r.features(n, t.Features) },
		"origins":    func(n *yaml.Node) { t.Origins = r.origins(n) },
		"rate_limit": func(n *yaml.Node) { t.Limit = r.limit(n) },
		"provider":   func(n *yaml.Node) { t.Provider = r.provider(n) },
		"schedule":   func(n *yaml.Node) { r.schedule(n, t.Schedule) },
	})
	t.parts = partsOf(n, "", "", nil)
	if n.Kind == yaml.MappingNode && child(n, "id") == nil {
		r.problem(n, "id", "is missing")
	}
	return t
}
