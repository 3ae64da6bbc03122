package names

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mkt/publish/football"
	"mkt/transform/markets/token"
)

// Words of rows of markets about players, and whom they name. Some of
// the names look like something else.
func TestPlayerName(t *testing.T) {
	names := Participants{Home: "Arsenal", Away: "Manchester City"}
	teams := names.Words(nil)
	for _, name := range []string{
		"Willian", "Pepe", "Ederson", "Rodri", "Jô", "Fred", "Hulk", "N'Golo Kanté", "N’Golo Kanté", "Danny Ings", "Jordan Henderson", "Son Heung-Min", "Heung-Min Son",
		"Virgil van Dijk", "Van Dijk", "Anthony Martial", "None So", "O. G. Nobody", "O.G. Nobody", "A. Player", "J. Half", "Sam Field", "Shay Given", "Lewis Price",
		"Cengiz Under", "Even Hovland", "Odd Iversen", "Win Naing", "Kyaw Win", "Nil Jimenez", "Or Dadia", "No Jung-Yoon", "To Van Vu", "Matt Le Tissier", "Kevin De Bruyne",
		"Ali Al Bulaihi", "Salem Al-Dawsari", "Mohamed Kanno", "de Souza Wanderson", "Giorgian De Arrascaeta", "Antonio Germano Da Silva", "Saúl Ñíguez", "d'Ambrosio",
		"Marc-André ter Stegen", "Rafael van der Vaart", "Van 't Hof", "Neymar Jr.", "J.P. Dellacamera", "J Doe", "Þórsson", "Øyvind Østergaard", "Łukasz Świątek",
		"Gabriel Werneck", "Bruno Xavier", "Jesus Orozco Chiquete", "Lopes Leo Nannetti", "Everton Ribeiro", "Roman Pavlyuchenko", "Booker Goodman", "Cardozo", "Goalby Smith",
		"Vusal Said ogly Aliyev", "Aliyev Vusal Said oğlu", "Danilo2", "Joao Pedro2", "Kim Min-Jae1",
		"Юрий Жирков", "Γιώργος Καραγκούνης", "محمد صلاح", "علی\u200cرضا جهانبخش", "손흥민", "武磊", "王", "三笘 薫", "モハメド・サラー", "克里斯蒂亚诺·罗纳尔多", "გიორგი ქინქლაძე", "Սարգիս Ադամյան", "สารัช อยู่เย็น",
	} {
		if !isName(token.Clean(name), teams) {
			t.Errorf("%q is a name", name)
		}
	}
	for _, row := range []string{
		"", " ", "-", "?", "N/A", "X", "1", "2", "7", "3+", "Home", "Away", "Draw", "Tie", "Yes", "No", "None", "Nobody", "No One", "No-One", "Noone", "Neither", "Nil", "Null", "TBC", "OG", "O.G.", "O. G.",
		"No Bookings", "No Booking", "No Card", "No Cards", "no card", "NO CARD", "No Goal", "No Goals", "No 1st Goal", "No First Goal", "No Goalscorer", "No Goalscorer (Arsenal)",
		"No Scorer", "No Player", "No Red Card", "No Sending Off", "No Further Bookings", "No Penalty", "No Winner", "No Kane", "No Jung", "None Of These", "None of the above", "Not to Score", "Not To Score",
		"Own Goal", "Own-Goal", "Own Goals", "Score Draw", "Field", "The Field", "Rest Of Field", "Other", "Others", "Any Other", "Any Other Player", "Any Unquoted Player", "Unquoted", "Another Player",
		"Any Other Arsenal Player", "Any Substitute", "Any Goalkeeper", "Any Defender", "Any Player", "Player", "Both", "Both Teams", "Either Team", "Everyone", "Anytime", "First", "Last", "Anytime Goalscorer",
		"1st Half", "2nd Half", "First Half", "Half-Time", "Half Time", "Full Time", "Extra Time", "Over", "Under", "Over 2.5", "Under 2.5 Goals", "Exactly", "Odd", "Even", "Before 30:00", "Penalty", "Header", "Free Kick",
		"Red Card", "Card", "Booked", "Clean Sheet", "Hat-Trick", "Hattrick", "Win", "To Win", "To Score", "To Score First",
		"Arsenal", "Arsenal FC", "Arsenal to win", "Arsenal To Win", "Arsenal Player", "Arsenal's Goalkeeper", "Arsenal Or Draw", "Arsenal or Manchester City", "Manchester", "City", "Man City", "Man U", "Arsenal Women", "ARS", "MCI",
		"Manager", "Arsenal Manager", "Head Coach", "Referee", "Full Back", "Full-Back", "Winger", "Starting XI", "Debutant", "Premier League", "Assistant Referee",
		"The Gunners", "Gunners to win", "Gunners To Win", "Saka To Score", "Saka to score", "Saka Goal", "Saka (Arsenal)", "Saka & Kane", "Saka/Kane", "Saka, Kane", "Saka and Kane", "Saka or Kane", "Saka + Kane", "Saka v Kane",
		"Player 7", "Player7", "Over2", "Half1", "OG2", "X2", "1X", "Arsenal2", "Saka 2", "Saka2Goals", "2Saka", "Saka 2+", "Saka2+", "Said-2", "ogly", "Over Saka", "Saka - Over 2.5", "harry kane", "saka", "Ｎｏ　Ｂｏｏｋｉｎｇｓ", "No\u00a0Bookings", "No\u200bBookings", "Nо Bookings", "Saka\nKane", "Saka\x00",
		"A B C D E F G H I", strings.Repeat("Ab", 100), "\xff\xfe", "Kane!", "“Kane”", "ʼto ʼwin", "Kane-", "-Kane", "Kane -", "Kane--Son", "Kane\u200d", "<b>Kane</b>", "kane@example.org",
	} {
		if isName(token.Clean(row), teams) {
			t.Errorf("%q is no name", row)
		}
	}
}

// The words of the teams' names are those of the fixture.
func TestPlayerNameByTeam(t *testing.T) {
	for _, c := range []struct {
		home, away, text string
		want             bool
	}{
		{"Jordan", "England", "Jordan Henderson", true},
		{"Jordan", "England", "Jordan", false},
		{"Santos", "Everton", "Lucas Santos", true},
		{"Santos", "Everton", "Everton Ribeiro", true},
		{"Santos", "Everton", "Santos", false},
		{"Atlético Madrid", "Łódź", "Atletico Madrid", false},
		{"Atlético Madrid", "Łódź", "Lodz", false},
		{"Russia", "Saudi Arabia", "Saudi", false},
		{"Russia", "Saudi Arabia", "Russia Saudi", false},
		{"", "England", "Harry Kane", false}, // any name could be the other team's
	} {
		p := Of(&football.Fixture{Home: football.Of(c.home), Away: football.Of(c.away)})
		if got := p.IsPlayer(c.text, p.Words(nil)); got != c.want {
			t.Errorf("%s - %s: %q is a name: %v", c.home, c.away, c.text, got)
		}
	}
}

// No row made of the words that say nobody, a team, a period or an outcome names a
// player, in any order and any case.
func TestPlainWordsAreNoName(t *testing.T) {
	var words []string
	for w, kind := range wordKinds {
		if kind != action { // "Take" alone could be one
			words = append(words, w)
		}
	}
	slices.Sort(words)
	cases := []func(string) string{strings.ToLower, strings.ToUpper, func(s string) string { return strings.ToUpper(s[:1]) + s[1:] }}
	rapid.Check(t, func(t *rapid.T) {
		var row []string
		for range rapid.IntRange(1, 5).Draw(t, "words") {
			row = append(row, rapid.SampledFrom(cases).Draw(t, "case")(rapid.SampledFrom(words).Draw(t, "word")))
		}
		if text := strings.Join(row, rapid.SampledFrom([]string{" ", "  ", "-"}).Draw(t, "between")); isName(text, nil) {
			t.Fatalf("%q is no name", text)
		}
	})
}

// isNumber finds a number that does not end a word.
var isNumber = regexp.MustCompile(`(?:^|[\pZ-])[0-9]|[0-9][^0-9\pZ-]`)

func FuzzPlayerName(f *testing.F) {
	for _, s := range []string{"N'Golo Kanté", "No Bookings", "O. G. Nobody", "علی\u200cرضا", "A-", ".", "-", "'", "A.B"} {
		f.Add(s, "Arsenal")
	}
	f.Fuzz(func(t *testing.T, s, team string) {
		p := Participants{Home: token.Clean(team), Away: "City"}
		if isName(s, p.Words(nil)) && (strings.ContainsAny(s, "()&/+,:;\x00\n") || !token.HasLetter(s) || isNumber.MatchString(s)) {
			t.Errorf("%q is no name", s)
		}
	})
}
