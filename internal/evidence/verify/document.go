package verify

import (
	doc "mkt/internal/evidence/document"
	"mkt/internal/terminal"
)

// Document returns the report for people: the findings, the notes, and then the verdict.
func (r Report) Document() *doc.Document {
	of := r.Tenant + " " + r.Product
	var found, unconfirmed []doc.Finding
	for _, f := range r.Findings {
		found = append(found, doc.Finding{Code: f.Code, Style: terminal.Bad, Where: []string{of, f.File}, What: f.What, Fix: f.Fix})
	}
	for _, f := range r.Unconfirmed {
		unconfirmed = append(unconfirmed, doc.Finding{Level: "unconfirmed", Code: f.Code, Where: []string{of, f.File}, What: f.What})
	}
	var notes []doc.Note
	for _, note := range r.Notes {
		notes = append(notes, doc.Note{Name: "note  ", Line: doc.Format("%s: %s", of, note)})
	}
	verdict := doc.Styled(terminal.Good, "clean")
	switch {
	case !r.Judged:
		verdict = doc.Styled(terminal.Warn, "not judged")
	case !r.Clean:
		verdict = doc.Styled(terminal.Bad, terminal.Plural(len(r.Findings), "finding"))
	}
	c := r.Checked
	said := doc.Format("%s: %s; %s, %s, %s, %s, %s, %s, %s", of, verdict[0], terminal.Plural(c.Commits, "commit"), terminal.Plural(c.Snapshots, "snapshot"),
		terminal.Plural(c.Canonical, "canonical cycle"), terminal.Plural(c.Raw, "raw cycle"), terminal.Plural(int(c.Rows), "row"), terminal.Plural(int(c.Events), "event"), terminal.Size(c.Bytes))
	if c.Rebuilt > 0 {
		said = append(said, doc.Format(", %d rebuilt", c.Rebuilt)...)
	}
	last := []doc.Note{{Line: said}}
	if h := r.Head; h != nil {
		last = append(last, doc.Note{Name: "head  ", Line: doc.Format("%s: version %d, %s, sha256 %s", of, h.Version, doc.Code(h.Cycle), doc.Code(h.SHA256))})
	}
	return &doc.Document{Sections: []doc.Section{{Findings: found}, {Notes: notes}, {Findings: unconfirmed}, {Notes: last}}}
}
