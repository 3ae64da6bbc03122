package document_test

import (
	"strings"
	"testing"
	"time"

	"mkt/internal/evidence/document"
	"mkt/internal/terminal"
	"mkt/internal/testing/check"
)

// One answer is the same in a terminal and on a page, whatever a provider's texts have in them.
func TestOneAnswer(t *testing.T) {
	const team = "\x1b[2J<b>\x00City\tA</b>"
	at := time.Date(2026, 11, 21, 14, 5, 0, 0, time.UTC)
	d := document.Document{Title: team, Head: document.Words(team), Sections: []document.Section{
		{Facts: []document.Fact{{Name: "team", Value: document.Format("%s at %s, %d", team, document.Stamp(at), 3),
			Below: []document.Fact{{Name: "from", Value: document.Line{document.Link("/fixtures/a?b=1&c", "#1")}, Text: "{}"}}}}},
		{Findings: []document.Finding{{Level: "FAIL", Code: "LOST", Style: terminal.Bad, Where: []string{"", "acme", ""}, What: "it is gone", Fix: "mkt init"}}},
		{Only: document.Page, Notes: []document.Note{{Line: document.Words("a page")}}},
		{Table: &document.Table{Caption: "Two", Columns: []document.Column{{Name: "Name"}, {Name: "Odds", Number: true}}, Rows: []document.Row{{Head: true, Cells: []document.Line{document.Words(team), document.Words("2.10")}}}}},
		{Table: &document.Table{Rows: []document.Row{{Cells: []document.Line{document.Words("without"), document.Words("a header")}}}}},
		{Notes: []document.Note{{Name: "head  ", Line: document.Words("x")}, {Line: document.Styled(terminal.Good, "healthy")}}},
	}}
	var text strings.Builder
	check.Must(t, d.Print(terminal.NewOutput(&text)))
	const shown = `\u001b[2J<b>\u0000City\u0009A</b>`
	want := shown + "\n  team    " + shown + " at 2026-11-21T14:05:00.000Z, 3\n    from  #1\nFAIL  LOST  acme\n      it is gone\n      fix: mkt init\n" +
		"\nNAME" + strings.Repeat(" ", len(shown)-2) + "ODDS\n" + shown + "  2.10\nwithout  a header\nhead  x\nhealthy\n"
	if text.String() != want {
		t.Errorf("a terminal gets\n%s\nwant\n%s", text.String(), want)
	}
	page, err := d.HTML()
	check.Must(t, err)
	for _, want := range []string{
		`<h1>`, `<dt>team</dt>`, `<time datetime="2026-11-21T14:05:00Z">`, `<a href="/fixtures/a?b=1&amp;c">#1</a>`, `<span class="tag bad">LOST</span> acme`, "a page", `<caption>Two</caption>`,
		`<th scope="row">`, `<td class="n">2.10</td>`, `<td>a header</td>`, `<span class="good">healthy</span>`,
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("no %s on the page\n%s", want, page)
		}
	}
	if strings.Contains(string(page), "<b>") {
		t.Errorf("a provider's markup on the page\n%s", page)
	}
}

// Only the commands of a fix are set in the type of a command, which a page lets one copy.
func TestCommandsOfAFix(t *testing.T) {
	for fix, want := range map[string]string{
		"mkt cycle --tenant acme":              "[mkt cycle --tenant acme]",
		"set it below serve, then restart mkt": "set it below serve, then restart mkt",
		"none is needed with mkt schedule; with cron run it as often: /bin/mkt --config a tenant schedule set acme live \"@every 45s\"; or buy a larger quota, and then: mkt provider test acme": "none is needed with mkt schedule; " +
			"with cron run it as often: [/bin/mkt --config a tenant schedule set acme live \"@every 45s\"]; or buy a larger quota, and then: [mkt provider test acme]",
		"mkt recover --tenant acme; if that cannot rebuild it, restore it from a backup: the hash must be the same": "[mkt recover --tenant acme]; if that cannot rebuild it, restore it from a backup: the hash must be the same",
		"run doctor as root: sudo mkt doctor": "run doctor as root: [sudo mkt doctor]",
		"chmod 600 seal.key":                  "[chmod 600 seal.key]",
		"'/opt/my dir/mkt' verify":            "['/opt/my dir/mkt' verify]",
	} {
		got := ""
		for _, s := range (document.Finding{Fix: fix}).Repair() {
			if s.Code {
				s.Words = "[" + s.Words + "]"
			}
			got += s.Words
		}
		if got != want {
			t.Errorf("%q\n got %s\nwant %s", fix, got, want)
		}
	}
}
