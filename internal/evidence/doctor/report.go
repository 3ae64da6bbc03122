package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"mkt/internal/terminal"
	"mkt/publish/durable"
)

type place struct {
	tenant, product string
	file            string
}

func (r *root) at(name string) place {
	return place{r.id, string(r.product), filepath.Join(r.dir, filepath.FromSlash(name))}
}

func (d *doctor) ok(area string, at place, format string, args ...any) {
	d.add(Finding{Level: OK, Area: area, What: fmt.Sprintf(format, args...)}, at)
}

// bad adds a warning or a failure. The code must be one of codes.
// Findings about accounts with the same code and the same fix have one cause.
func (d *doctor) bad(level Level, code, area string, at place, fix, format string, args ...any) *Finding {
	if _, known := codes[code]; !known {
		panic("doctor: no code " + code)
	}
	f := Finding{Level: level, Area: area, Code: code, Fix: fix, What: fmt.Sprintf(format, args...), Count: 1}
	if at.tenant != "" {
		f.cause = code + " " + fix
	}
	return d.add(f, at)
}

func (d *doctor) unreadable(area string, at place, err error) {
	fix := "run doctor as the user who owns it, or as root: sudo " + d.mkt("doctor")
	if errors.Is(err, durable.ErrLink) {
		fix = "symbolic links are not followed below the data root: put the folder or file there, or mount the other disk there"
	}
	f := d.bad(Fail, "UNREADABLE", area, at, fix, "%v", err)
	if errors.Is(err, fs.ErrPermission) {
		f.causedBy("permission", "")
	}
}

// add adds a finding, unless it is about a tenant other than the requested one: then it returns nil.
func (d *doctor) add(f Finding, at place) *Finding {
	if d.Tenant != "" && at.tenant != "" && at.tenant != d.Tenant {
		return nil
	}
	f.Tenant, f.Product, f.File = at.tenant, at.product, at.file
	d.findings = append(d.findings, f)
	return &d.findings[len(d.findings)-1]
}

func (d *doctor) mkt(args string) string { return d.Command + " " + args }

func ago(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", int(d.Hours()/24))
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours", int(d.Hours()))
	case d >= 2*time.Minute:
		return fmt.Sprintf("%d minutes", int(d.Minutes()))
	}
	return terminal.Plural(int(d.Round(time.Second).Seconds()), "second")
}
