package audit

import (
	"strings"
	"time"
)

// Format is the version of an entry.
//
//	1: first
const Format = 1

// FileName is the log's name, beside tenants.yaml.
const FileName = "audit.log"

// Action is what was done.
type Action string

const (
	TenantAdd        Action = "tenant.add"
	TenantName       Action = "tenant.name"
	TenantSuspend    Action = "tenant.suspend"
	TenantReactivate Action = "tenant.reactivate"
	TenantRevoke     Action = "tenant.revoke"
	TenantDelete     Action = "tenant.delete" // its entry has no changes: they would be what is deleted
	TokenIssue       Action = "token.issue"
	TokenRotate      Action = "token.rotate"
	TokenEnd         Action = "token.end"
	ProductSet       Action = "product.set"
	ProductUnset     Action = "product.unset"
	FeatureEnable    Action = "feature.enable"
	FeatureDisable   Action = "feature.disable"
	OriginAllow      Action = "origin.allow"
	OriginDeny       Action = "origin.deny"
	LimitSet         Action = "limit.set"
	ScheduleSet      Action = "schedule.set"
	ScheduleUnset    Action = "schedule.unset"
	ProviderSet      Action = "provider.set"
	ProviderEnable   Action = "provider.enable"
	ProviderDisable  Action = "provider.disable"
	ProviderUnset    Action = "provider.unset"
	ProviderRewrap   Action = "provider.rewrap"
	FileSeal         Action = "file.seal"
)

// Who made a change.
type Who struct {
	User  string `json:"user"`            // of the operating system
	Actor string `json:"actor,omitempty"` // the person, from MKT_ACTOR; not authenticated
}

// Name returns the name for people.
func (w Who) Name() string {
	if w.Actor == "" {
		return w.User
	}
	return w.Actor + " (" + w.User + ")"
}

// WholeFile is the tenant of an entry that is not about a single one.
const WholeFile = "*"

// Entry is one change of one tenant, a line of the log.
type Entry struct {
	Format int       `json:"format"`
	At     time.Time `json:"at"`
	Who
	Action  Action   `json:"action"`
	Tenant  string   `json:"tenant"`
	Changes []Change `json:"changes"` // empty if nothing changed

	File   string `json:"file"`          // base name of the tenants file
	Before string `json:"before_sha256"` // of the file
	After  string `json:"after_sha256"`

	// AfterUnlogged means that the file was changed before this entry without being
	// logged. Read sets it.
	AfterUnlogged bool `json:"after_unlogged,omitempty"`
}

// Change is one field before and after; "" if there is no value.
type Change struct {
	Field  string `json:"field"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

func (c Change) String() string {
	switch {
	case c.Before == "":
		return c.Field + " +" + c.After
	case c.After == "":
		return c.Field + " -" + c.Before
	}
	return c.Field + " " + c.Before + " -> " + c.After
}

const longestText = 100

// plain returns a text as one line of bounded length.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	if runes := []rune(s); len(runes) > longestText {
		s = string(runes[:longestText]) + "…"
	}
	return s
}
