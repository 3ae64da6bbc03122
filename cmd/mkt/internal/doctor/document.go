package doctor

import (
	"mkt/cmd/mkt/internal/cli"
	doc "mkt/cmd/mkt/internal/document"
)

var styles = map[Level]cli.Style{OK: cli.Good, Warn: cli.Warn, Fail: cli.Bad}

// Document returns the report for people: the findings, and then the verdict. Findings at [OK] are
// listed only if verbose is set.
func (r Report) Document(verbose bool) *doc.Document {
	found := r.Bad()
	if verbose {
		found = r.Findings
	}
	list := []doc.Finding{}
	for _, f := range found {
		one := doc.Finding{Level: string(f.Level), Code: f.Code, Style: styles[f.Level], Where: []string{f.Tenant, f.Product, f.File}, What: f.What, Fix: f.Fix}
		if f.Level == OK {
			one.Code = f.Area
		}
		list = append(list, one)
	}
	verdict := doc.Styled(cli.Good, "healthy")
	switch {
	case !r.Healthy:
		verdict = doc.Styled(cli.Bad, cli.Plural(r.Failures, "failure")+", "+cli.Plural(r.Warnings, "warning"))
	case r.Warnings > 0:
		verdict = doc.Styled(cli.Warn, "healthy, "+cli.Plural(r.Warnings, "warning"))
	}
	verdict = append(verdict, doc.Format(" (%s)", cli.Plural(r.Checks, "check"))...)
	return &doc.Document{Sections: []doc.Section{{Findings: list}, {Notes: []doc.Note{{Line: verdict}}}}}
}
