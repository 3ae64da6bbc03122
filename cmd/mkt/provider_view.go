package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mkt/cmd/mkt/internal/plain"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/publish/durable"
	"mkt/publish/health"
	"mkt/publish/layout"
)

// connectionView is a provider connection as people and scripts may see it.
type connectionView struct {
	ID            string                      `json:"client_id"`
	Provider      string                      `json:"provider"` // "" when there is none
	BaseURL       string                      `json:"base_url,omitempty"`
	Hint          string                      `json:"hint"`
	Status        health.Connection           `json:"status"`
	LastSuccessAt *time.Time                  `json:"last_success_at"`
	LastAttemptAt *time.Time                  `json:"last_attempt_at"`
	Code          string                      `json:"code,omitempty"` // why the last attempt failed
	Quota         *health.Quota               `json:"quota"`          // nil: the provider never said anything of it
	Found         []findingView               `json:"found"`
	Calls         map[string]map[string]int64 `json:"calls"` // by UTC day and endpoint
}

// findingView is the newest test or fetch.
type findingView struct {
	Of     string     `json:"of"` // test, or a product
	Cycle  string     `json:"cycle,omitempty"`
	At     time.Time  `json:"at"`
	OK     bool       `json:"ok"`
	Code   string     `json:"code,omitempty"`
	LastOK *time.Time `json:"last_ok_at"`
	InARow int        `json:"failures_in_a_row"`
}

// connection looks at what tests and fetches left behind. Findings about another
// credential than the one that is set are passed by.
func (a *app) connection(t *tenants.Tenant) (connectionView, error) {
	v := connectionView{ID: t.ID, Status: health.Unconfigured, Found: []findingView{}, Calls: map[string]map[string]int64{}}
	var findings []*health.Run
	for _, s := range a.sources(t) {
		run, err := s.newest()
		if err == nil {
			err = s.addCalls(v.Calls)
		}
		if err != nil {
			return v, fmt.Errorf("state of tenant %s: %w", t.ID, err)
		}
		findings = append(findings, run)
		if run != nil && t.Provider != nil && run.CredentialFingerprint == t.Provider.Fingerprint() {
			v.Found = append(v.Found, findingView{s.of, run.Cycle, run.FinishedAt, run.OK, run.Code, run.LastOKAt, run.FailuresInARow})
		}
	}
	if p := t.Provider; p != nil {
		fingerprint := p.Fingerprint()
		known := health.StandingOf(fingerprint, findings...)
		v.Provider, v.BaseURL, v.Hint = p.Name, p.BaseURL, p.Hint
		v.Status = health.ConnectionStatus(true, p.Disabled, fingerprint, findings...)
		v.LastSuccessAt, v.LastAttemptAt, v.Code = known.LastOKAt, known.LastAttemptAt, known.Code
		v.Quota = health.NewestQuota(fingerprint, findings...)
	}
	return v, nil
}

// tenantDir is what belongs to a tenant and to none of its products.
func (a *app) tenantDir(id string) string { return filepath.Join(a.data, layout.Tenant(id)) }

// source is a folder with the state file of a step that asks the provider.
type source struct{ of, step, dir string }

// sources are those of a tenant: the test of the connection, and each product.
func (a *app) sources(t *tenants.Tenant) []source {
	list := []source{{"test", health.StepProbe, a.tenantDir(t.ID)}}
	for _, p := range built {
		list = append(list, source{string(p), health.StepFetch, a.rootDir(job{t, p})})
	}
	return list
}

// newest returns what the step found last, nil when it never ran.
func (s source) newest() (run *health.Run, err error) {
	err = s.open(func(root durable.ReadFS) error {
		run, err = health.Read(root, s.step)
		return err
	})
	return run, err
}

// addCalls adds the calls it made.
func (s source) addCalls(calls map[string]map[string]int64) error {
	return s.open(func(root durable.ReadFS) error {
		counted, err := health.ReadCalls(root)
		for day, endpoints := range counted.Days {
			if calls[day] == nil {
				calls[day] = map[string]int64{}
			}
			for endpoint, n := range endpoints {
				calls[day][endpoint] += n
			}
		}
		return err
	})
}

// open reads in the folder, which may be missing.
func (s source) open(read func(durable.ReadFS) error) error {
	root, err := durable.OpenExisting(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	return read(root)
}

// print shows one connection to a person.
func (v connectionView) print(out io.Writer, now time.Time) error {
	w := newTableWriter(out)
	row := func(key, format string, args ...any) { plain.Fprintf(w, key+"\t"+format+"\n", args...) }
	row("tenant", "%s", v.ID)
	row("status", "%s", v.Status)
	if v.Provider != "" {
		row("provider", "%s", strings.TrimSuffix(v.Provider+" at "+v.BaseURL, " at "))
		row("credential", "%s", v.Hint)
	}
	if v.Quota != nil {
		row("quota", "%s", v.Quota.Describe(now))
	}
	for _, f := range v.Found {
		row(f.Of, "%s at %s%s", result(f.OK, f.Code), f.At.UTC().Format(time.RFC3339), f.history())
	}
	for _, day := range slices.Sorted(maps.Keys(v.Calls)) {
		for _, endpoint := range slices.Sorted(maps.Keys(v.Calls[day])) {
			row("calls "+day, "%d %s", v.Calls[day][endpoint], endpoint)
		}
	}
	return w.Flush()
}

func (f findingView) history() string {
	switch {
	case f.OK:
		return ""
	case f.LastOK == nil:
		return fmt.Sprintf(", failed %s, never good", times(f.InARow))
	}
	return fmt.Sprintf(", failed %s, last good at %s", times(f.InARow), f.LastOK.UTC().Format(time.RFC3339))
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times in a row", n)
}

func result(ok bool, code string) string {
	if ok {
		return "good"
	}
	return cmp.Or(code, health.CodeInternal)
}
