package doctor

import (
	"fmt"
	"slices"
	"strings"

	"mkt/fetch/provider/all"
	"mkt/internal/accounts"
	"mkt/internal/terminal"
	"mkt/publish/durable"
	"mkt/publish/payloads"
)

// payload looks for changes in the form of the provider's answers.
func (d *doctor) payload(r *root) {
	report, err := PayloadReport(r.fs, r.tenant)
	if err != nil {
		d.unreadable("schedule", r.at("state/payload.json"), err)
		return
	}
	if len(report.Changes) == 0 {
		d.ok("schedule", r.at("state/payload.json"), "no change of the provider's answers was found")
		return
	}
	d.bad(Warn, "PAYLOAD_CHANGED", "schedule", r.at("state/payload.json"), d.payloadFix(r, report), "%s", sentence(report))
}

// PayloadReport returns what the newest cycles of an account found in the form of its provider's answers. It has no
// changes if there are none, or if they are of a provider or a bookmaker that the account does not use any more.
// root is that of one of its products.
func PayloadReport(root durable.ReadFS, t *accounts.Tenant) (payloads.Report, error) {
	report, err := payloads.Read(root)
	if t.Provider == nil || t.Provider.Name != report.Source.Provider {
		return payloads.Report{}, err
	}
	if p, ok := all.Lookup(t.Provider.Name); ok && p.Bookmaker(t.Provider.Bookmaker) != report.Source.Bookmaker {
		return payloads.Report{}, err
	}
	return report, err
}

// PayloadChange is [PayloadReport] in a sentence; "" if nothing changed. It reads one small file.
func PayloadChange(root durable.ReadFS, t *accounts.Tenant) (string, error) {
	report, err := PayloadReport(root, t)
	if err != nil || len(report.Changes) == 0 {
		return "", err
	}
	return sentence(report), nil
}

// payloadFix returns the command that shows what the change did: what markets became before and after it, or the
// columns of matches in play.
func (d *doctor) payloadFix(r *root, report payloads.Report) string {
	check := "mapping report --tenant " + r.id
	switch {
	case report.Live:
		return d.mkt("inspect latest --columns --tenant " + r.id + " --product " + string(r.product))
	case len(report.Of(payloads.FieldGone))+len(report.Of(payloads.MarketGone)) == 0:
		return d.mkt(check)
	}
	return d.mkt(check + " --cycle " + string(report.First().After) + " --output json > before.json && " + d.mkt(check+" --against before.json"))
}

// named is how many changes of a kind a sentence names.
const named = 2

// sentence describes the changes. Markets that are gone are named only if no member is gone, which would be why.
func sentence(r payloads.Report) string {
	gone, markets := r.Of(payloads.FieldGone), r.Of(payloads.MarketGone)
	if len(gone) > 0 {
		markets = nil
	}
	before := func(c payloads.Change) string { return fmt.Sprintf("%d %% had it in the week before", 100*c.Has/c.Of) }
	parts := []string{
		list("the answers lack ", gone, func(c payloads.Change) string { return quoted(c.Name) + " (" + c.Answers + "; " + before(c) + ")" }),
		list("no fixture has the market ", markets, func(c payloads.Change) string { return title(c) + " (" + before(c) + ")" }),
		list("the answers have a new ", r.Of(payloads.FieldNew), func(c payloads.Change) string { return quoted(c.Name) + " (" + c.Answers + ")" }),
		list("no rule maps the new market ", r.Of(payloads.MarketNew), func(c payloads.Change) string { return fmt.Sprintf("%s (in %d of %d fixtures)", title(c), c.Has, c.Of) }),
		lost(r),
	}
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	return "since " + r.First().Since.UTC().Format("2 Jan 15:04") + " UTC " + strings.Join(parts, "; ")
}

func list(before string, changes []payloads.Change, one func(payloads.Change) string) string {
	var names []string
	for _, c := range changes[:min(named, len(changes))] {
		names = append(names, one(c))
	}
	if left := len(changes) - len(names); left > 0 {
		names = append(names, fmt.Sprintf("and %d more", left))
	}
	if len(names) == 0 {
		return ""
	}
	return before + strings.Join(names, ", ")
}

// title returns the name of a market in the provider's words.
func title(c payloads.Change) string {
	if c.Title != "" && c.Title != c.Name {
		return quoted(c.Title) + ", " + quoted(c.Name)
	}
	return quoted(c.Name)
}

// quoted returns a name of the provider's, which may be of any characters and any length.
func quoted(name string) string { return fmt.Sprintf("%q", terminal.Cut(name, 60)) }

func lost(r payloads.Report) string {
	switch {
	case r.Live && r.LostFixtures > 0:
		return fmt.Sprintf("statistics are missing in about %s in play", terminal.Plural(r.LostFixtures, "fixture"))
	case r.Live:
		return "no fixture lost its statistics"
	case r.LostMarkets > 0:
		return fmt.Sprintf("about %s of %s that were mapped are gone or RAW", terminal.Plural(r.LostMarkets, "market"), terminal.Plural(r.LostFixtures, "fixture"))
	}
	return "no mapped market is lost"
}
