package tenants

import (
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
func partsOf(n *yaml.Node, field, of string, list []part) []part {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			p := part{join(field, key.Value), of}
			if p.field == "provider.credential" {
				p.of = credential.Fingerprint(value.Value)
			}
			list = append(list, p)
			list = partsOf(value, p.field, p.of, list)
		}
	case yaml.SequenceNode:
		for _, item := range n.Content {
			of := item.Value
			if digest := child(item, "sha256"); digest != nil {
				of = digest.Value
			}
			list = append(list, part{field, of})
			list = partsOf(item, field, of, list)
		}
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

// removed lists the parts of an earlier entry that the entry does not have.
func (t *Tenant) removed(before *Tenant) []Problem {
	said := make(map[part]bool, len(t.parts))
	for _, p := range t.parts {
		said[p] = true
	}
	var list []Problem
	reported := map[string]bool{}
	for _, p := range before.parts {
		// A missing mapping is reported, its keys are not.
		if said[p] || reported[p.field] || reported[parent(p.field)] {
			reported[p.field] = reported[p.field] || reported[parent(p.field)]
			continue
		}
		reported[p.field] = true
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

func parent(field string) string {
	return field[:max(0, strings.LastIndexByte(field, '.'))]
}
