package accounts

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"syscall"

	"go.yaml.in/yaml/v3"

	"mkt/internal/strictyaml"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/serve/account"
)

// maxFile bounds the file, which has about 1 KB an account.
const maxFile = 32 << 20

// Load reads and checks the file at path. For an invalid file it returns an *InvalidError, for a
// missing one an error that is fs.ErrNotExist.
func Load(path string) (*File, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

func readFile(path string) ([]byte, error) {
	// O_NONBLOCK: opening a named pipe must not block.
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

// Parse checks a tenants file; name is for messages. All problems are returned in an *InvalidError.
func Parse(name string, data []byte) (*File, error) {
	r := &reader{}
	s := unseal(data)
	f := &File{Name: name, sum: sha256.Sum256(s.body), seal: s.seal, sealedAccounts: s.accounts, open: s.open}
	if s.cut {
		r.problem(nil, "", "is cut off: its first line says that it is sealed, but its last line, the seal, is missing: save the complete file again; if it is complete, delete the line that begins with %q, then run mkt tenant validate --seal", sealTop)
	} else if doc := r.document(data); doc != nil {
		r.file(doc, f)
	}
	if len(r.problems) > 0 {
		slices.SortStableFunc(r.problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
		return nil, &InvalidError{File: name, Problems: r.problems}
	}
	return f, nil
}

// document returns the node at the top; nil after a problem.
func (r *reader) document(data []byte) *yaml.Node {
	doc, err := strictyaml.Parse(data)
	switch {
	case err != nil:
		r.problems = append(r.problems, Problem{Line: err.Line, Reason: err.Reason})
	case doc == nil:
		r.problem(nil, "", "is empty: want version: %d and tenants: []", Version)
	}
	return doc
}

// file reads the top of the document and checks the rules between tenants.
func (r *reader) file(n *yaml.Node, f *File) {
	var top struct {
		Version int
		Tenants []*yaml.Node
	}
	r.decode(n, "", reflect.ValueOf(&top).Elem())
	for _, entry := range top.Tenants {
		if entry != nil { // not an alias, which is a problem
			f.Tenants = append(f.Tenants, r.tenantEntry(entry))
		}
	}
	r.tenant = ""
	switch {
	case len(r.problems) > 0 || top.Version == Version:
	case top.Version == 0:
		r.problem(n, "version", "is missing: want version: %d at the top", Version)
	default:
		r.problem(n, "version", "is %d: this build of mkt reads %d", top.Version, Version)
	}
	r.unique(f)
}

// unique rejects an id or a token that two tenants share.
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
	t := Tenant{Line: n.Line, Status: account.Active, Limit: account.DefaultLimit,
		Products: map[football.Product]account.Subscription{}, Features: map[string]bool{}, Schedule: map[football.Product]string{}}
	r.tenant = "" // until its id is valid
	if id := child(n, "id"); id != nil && layout.ValidTenantID(id.Value) {
		r.tenant = id.Value
	}
	if r.decode(n, "", reflect.ValueOf(&t).Elem()); isNull(n) {
		r.problem(n, "id", "is missing")
	}
	t.parts = partsOf(n, "", "")
	return t
}
