package accounts

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"mkt/fetch/credential"
)

// part is a key or an item of a tenant's entry. Its value may change without a seal. See [File.Replaces]
// for its removal.
type part struct {
	field string
	of    string // which token, origin or credential; never printed
}

// partsOf lists the parts of an entry.
func partsOf(n *yaml.Node, field, of string) []part {
	var list []part
	for name, nodes := range parts(n) {
		p := part{field, name}
		if n.Kind == yaml.MappingNode {
			p = part{join(field, name), of}
		}
		if p.field == "provider.credential" {
			p.of = credential.Fingerprint(value(nodes).Value)
		}
		list = append(append(list, p), partsOf(value(nodes), p.field, p.of)...)
	}
	return list
}

// Replaces returns nil if the file may be put in force in place of inForce. A sealed file always may.
// Another file may be incomplete: somebody is still writing it, or writing it was interrupted. It is
// refused with an [*InvalidError] if it removes anything from the accounts in force.
func (f *File) Replaces(inForce *File) error {
	if f.seal == Sealed {
		return nil
	}
	var removed []Problem
	if f.open {
		removed = append(removed, Problem{Reason: "its last line has no end, as if it had been cut off"})
	}
	at := map[string]*Tenant{}
	for i := range f.Tenants {
		at[f.Tenants[i].ID] = &f.Tenants[i]
	}
	for i := range inForce.Tenants {
		before := &inForce.Tenants[i]
		now, there := at[before.ID]
		if !there {
			removed = append(removed, Problem{Tenant: before.ID, Reason: "is in force, and not in the file any more"})
			continue
		}
		removed = append(removed, now.removed(before)...)
	}
	if len(removed) == 0 {
		return nil
	}
	first := Problem{Reason: "it is not sealed and removes what is in force, as a truncated file would: if the file is complete and this is intended, run mkt tenant validate --seal"}
	return &InvalidError{File: f.Name, Problems: append([]Problem{first}, removed...)}
}

// removed lists the parts of an earlier entry that the entry does not have, the first of each key.
func (t *Tenant) removed(before *Tenant) []Problem {
	var list []Problem
	reported := map[string]bool{}
	for _, p := range before.parts {
		key, _, _ := strings.Cut(p.field, ".")
		if reported[key] || slices.Contains(t.parts, p) {
			continue
		}
		reported[key] = true
		reason := "is in force, and not in the file any more"
		switch p.field {
		case "tokens", "origins":
			reason = "one that is in force is not in the file any more"
		case "provider.credential":
			reason = "is another one than the one in force"
		}
		list = append(list, Problem{Line: t.Line, Tenant: t.ID, Field: p.field, Reason: reason})
	}
	return list
}
