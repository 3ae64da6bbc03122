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
		d.ok("schedule", r.at("state/payload.json"), "the provider's answers have the form of the week before")
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
	var parts []string
	gone := r.Of(payloads.FieldGone)
	parts = append(parts, tell(gone, "the answers lack ", "member", func(c payloads.Change) string {
		return fmt.Sprintf("%s (%s; %d %% had it in the week before)", c.Name, c.Answers, 100*c.Has/c.Of)
	}))
	if len(gone) == 0 {
		parts = append(parts, tell(r.Of(payloads.MarketGone), "no fixture has ", "market", func(c payloads.Change) string {
			return fmt.Sprintf("the market %s (%d %% had it in the week before)", title(c), 100*c.Has/c.Of)
		}))
	}
	parts = append(parts,
		tell(r.Of(payloads.FieldNew), "the answers have the new ", "member", func(c payloads.Change) string {
			return fmt.Sprintf("%s (%s)", c.Name, c.Answers)
		}),
		tell(r.Of(payloads.MarketNew), "nothing maps the new ", "market", func(c payloads.Change) string {
			return fmt.Sprintf("market %s (in %d of %d fixtures)", title(c), c.Has, c.Of)
		}), lost(r))
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	return "since " + r.First().Since.UTC().Format("2 Jan 15:04") + " UTC " + strings.Join(parts, ", ")
}

func tell(changes []payloads.Change, before, what string, one func(payloads.Change) string) string {
	var list []string
	for _, c := range changes[:min(named, len(changes))] {
		list = append(list, one(c))
	}
	if left := len(changes) - len(list); left > 0 {
		list = append(list, fmt.Sprintf("%d more %s", left, strings.TrimPrefix(terminal.Plural(left, what), fmt.Sprint(left, " "))))
	}
	if len(list) == 0 {
		return ""
	}
	return before + strings.Join(list, " and ")
}

// title returns the name of a market in the provider's words, which may be of any characters.
func title(c payloads.Change) string {
	if c.Title != "" && c.Title != c.Name {
		return fmt.Sprintf("%q (%s)", c.Title, c.Name)
	}
	return fmt.Sprintf("%q", c.Name)
}

func lost(r payloads.Report) string {
	switch {
	case r.Live && r.LostFixtures > 0:
		return fmt.Sprintf("and about %s in play lost their statistics", terminal.Plural(r.LostFixtures, "fixture"))
	case r.Live:
		return "and no statistics are lost"
	case r.LostMarkets > 0:
		return fmt.Sprintf("and about %s of %s that were mapped are gone or RAW", terminal.Plural(r.LostMarkets, "market"), terminal.Plural(r.LostFixtures, "fixture"))
	}
	return "and no mapped market is lost"
}
