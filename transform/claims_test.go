package transform_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/feed"
	"mkt/internal/testing/check"
	"mkt/publish/football"
	"mkt/transform/identity"
	"mkt/transform/markets"
)

// claimed is one market of a feed on Arsenal - Leicester: "HOME -0.5 @1.95 name=Arsenal" is a selection that is claimed to be
// HOME with the line -0.5, has this price, and a label; "HOME/" before it is its subject.
type claimed struct {
	name, market, period, line, subject string
	rows                                []string
}

func (c claimed) answer() []byte {
	type m = map[string]any
	var rows []m
	for _, text := range c.rows {
		subject, text, has := strings.Cut(text, "|")
		if !has {
			subject, text = "", subject
		}
		claim, labels, odds := m{}, m{}, m{"decimal": "2.10"}
		for i, word := range strings.Fields(text) {
			field, label, labelled := strings.Cut(word, "=")
			switch {
			case i == 0 && word != "-":
				claim["selection"] = strings.ReplaceAll(word, "_of_", " ")
			case i == 0:
			case labelled:
				labels[field] = strings.ReplaceAll(label, "_", " ")
			case word[0] == '@':
				odds["decimal"] = word[1:]
			default:
				claim["line"] = word
			}
		}
		if subject != "" {
			claim["subject"] = subject
		}
		if len(labels) == 0 {
			labels["code"] = fmt.Sprintf("#%d", len(rows))
		}
		rows = append(rows, m{"labels": labels, "odds": odds, "claim": claim})
	}
	claim := m{"market": c.market, "period": c.period}
	if c.line != "" {
		claim["line"] = c.line
	}
	if c.subject != "" {
		claim["subject"] = c.subject
	}
	market := m{"id": "m1", "name": c.name, "claim": claim, "selections": rows}
	body, _ := json.Marshal(m{"source": "acme", "missing": []string{}, "fixtures": []m{{"id": "1", "retrieved_at": "2026-11-20T09:00:00Z", "markets": []m{market}}}})
	return body
}

// derived returns the markets as "MATCH_RESULT FT: HOME, DRAW, AWAY"; a selection that is not publishable has a "!", and a
// RAW market its reason.
func (c claimed) derived(t *testing.T) string {
	p := feed.Provider("acme")
	l, err := p.Markets.ReadListing([]provider.Payload{{Endpoint: "fixtures", FetchedAt: time.Unix(1_795_000_000, 0), Body: []byte(
		`{"source":"acme","complete":true,"count":1,"next":null,"fixtures":[{"id":"1","home":"Arsenal","away":"Leicester","status":"NOT_STARTED"}]}`)}})
	check.Must(t, err)
	sheet, err := p.Markets.ReadMarkets(provider.Payload{Endpoint: "markets", FetchedAt: time.Unix(1_795_000_000, 0), Body: c.answer()}, l)
	check.Must(t, err)
	if len(sheet.Fixtures) != 1 {
		t.Fatalf("%+v", sheet)
	}
	f := sheet.Fixtures[0]
	var all []string
	for _, m := range markets.Derive(identity.NewMinter(identity.Key{1}, p.Name), f.Fixture, f.Offers) {
		if m.Origin == football.Raw {
			all = append(all, string(m.RawReason))
			continue
		}
		var rows []string
		for _, s := range m.Selections {
			text := strings.Join(strings.Fields(strings.Join([]string{s.Subject, s.Selection, s.Line, s.Qualifier, s.Subject2}, " ")), " ")
			if !s.Quality.Publishable {
				text += "!"
			}
			rows = append(rows, text)
		}
		all = append(all, fmt.Sprintf("%s %s: %s", m.Canonical, m.Period, strings.Join(rows, ", ")))
	}
	return strings.Join(all, "; ")
}

func TestClaims(t *testing.T) {
	result := []string{"HOME @1.95", "DRAW @3.60", "AWAY @4.10"}
	for name, c := range map[string]struct {
		claimed
		want string
	}{
		"result":                      {claimed{market: "MATCH_RESULT", period: "FT", rows: result}, "MATCH_RESULT FT: HOME, DRAW, AWAY"},
		"two of three":                {claimed{market: "MATCH_RESULT", period: "FT", rows: result[:1]}, "CONDITION_FAILED"},
		"no market":                   {claimed{market: "WINNER", period: "FT", rows: result}, "UNKNOWN_MARKET"},
		"no period":                   {claimed{market: "MATCH_RESULT", period: "3H", rows: result}, "NEVER_MAPPED"},
		"a selection without claim":   {claimed{market: "MATCH_RESULT", period: "FT", rows: append([]string{"- @9.00 name=Other"}, result...)}, "MATCH_RESULT FT: Other!, HOME, DRAW, AWAY"},
		"a wrong word":                {claimed{market: "MATCH_RESULT", period: "FT", rows: append([]string{"YES @9.00"}, result...)}, "MATCH_RESULT FT: #0!, HOME, DRAW, AWAY"},
		"names that fit":              {claimed{market: "MATCH_RESULT", period: "FT", rows: []string{"HOME @1.95 name=Arsenal", "DRAW @3.60 name=Draw", "AWAY @4.10 name=Leicester"}}, "MATCH_RESULT FT: HOME, DRAW, AWAY"},
		"names in another language":   {claimed{market: "MATCH_RESULT", period: "FT", rows: []string{"HOME @1.95 name=Arsenal_(d)", "DRAW @3.60 name=Unentschieden", "AWAY @4.10 name=Gast"}}, "MATCH_RESULT FT: HOME, DRAW, AWAY"},
		"names turned":                {claimed{market: "MATCH_RESULT", period: "FT", rows: []string{"HOME @1.95 name=Leicester", "DRAW @3.60 name=Draw", "AWAY @4.10 name=Arsenal"}}, "AMBIGUOUS_SHAPE"},
		"codes turned":                {claimed{market: "MATCH_RESULT", period: "FT", rows: []string{"HOME @1.95 name=2", "DRAW @3.60 name=X", "AWAY @4.10 name=1"}}, "AMBIGUOUS_SHAPE"},
		"a name beside a code":        {claimed{market: "MATCH_RESULT", period: "FT", rows: []string{"HOME @1.95 name=Leicester code=zz", "DRAW @3.60", "AWAY @4.10"}}, "AMBIGUOUS_SHAPE"},
		"over that says under":        {claimed{market: "TOTAL_GOALS", period: "FT", line: "2.5", rows: []string{"OVER @1.9 name=Under_2.5", "UNDER @1.9 name=Over_2.5"}}, "AMBIGUOUS_SHAPE"},
		"another line in a field":     {claimed{market: "TOTAL_GOALS", period: "FT", line: "2.5", rows: []string{"OVER @1.9 name=Over line=3.5", "UNDER @1.9"}}, "AMBIGUOUS_SHAPE"},
		"a number that is no line":    {claimed{market: "TOTAL_GOALS", period: "FT", line: "2.5", rows: []string{"OVER @1.9 name=Over size=3.5", "UNDER @1.9"}}, "TOTAL_GOALS FT: OVER 2.5, UNDER 2.5"},
		"another line":                {claimed{market: "TOTAL_GOALS", period: "FT", line: "2.5", rows: []string{"OVER @1.9 name=Over_3.5", "UNDER @1.9"}}, "AMBIGUOUS_SHAPE"},
		"corners called goals":        {claimed{name: "Total Corners", market: "TOTAL_GOALS", period: "FT", line: "9.5", rows: []string{"OVER @1.9", "UNDER @1.9"}}, "CONDITION_FAILED"},
		"a double chance as a result": {claimed{market: "MATCH_RESULT", period: "FT", rows: []string{"HOME @1.25 name=Arsenal_or_Draw", "DRAW @1.33 name=Arsenal_or_Leicester", "AWAY @1.90 name=Draw_or_Leicester"}}, "AMBIGUOUS_SHAPE"},
		"corners in a label":          {claimed{market: "TOTAL_GOALS", period: "FT", line: "9.5", rows: []string{"OVER @1.9 name=Over_9.5_Corners", "UNDER @1.9"}}, "CONDITION_FAILED"},
		"goals in a label":            {claimed{market: "TOTAL_CORNERS", period: "FT", line: "9.5", rows: []string{"OVER @1.9 name=Over_9.5_Goals", "UNDER @1.9"}}, "CONDITION_FAILED"},
		"a line beside another word":  {claimed{market: "TOTAL_GOALS", period: "FT", line: "2.5", rows: []string{"OVER @1.9 name=Mehr line=3.5", "UNDER @1.9"}}, "AMBIGUOUS_SHAPE"},
		"a line with a comma":         {claimed{market: "TOTAL_GOALS", period: "FT", line: "2.5", rows: []string{"OVER @1.9 name=Mehr line=3,5", "UNDER @1.9"}}, "AMBIGUOUS_SHAPE"},
		"the same with a comma":       {claimed{market: "TOTAL_GOALS", period: "FT", line: "2.5", rows: []string{"OVER @1.9 name=Mehr line=2,5", "UNDER @1.9"}}, "TOTAL_GOALS FT: OVER 2.5, UNDER 2.5"},
		"a handicap's other line":     {claimed{market: "ASIAN_HANDICAP", period: "FT", rows: []string{"HOME -0.5 @1.95 name=Heim handicap=-1.5", "AWAY +0.5 @1.93"}}, "AMBIGUOUS_SHAPE"},
		"zero alone":                  {claimed{market: "ASIAN_HANDICAP", period: "FT", rows: []string{"HOME -0.5 @1.95 name=Arsenal handicap=0", "AWAY +0.5 @1.93"}}, "AMBIGUOUS_SHAPE"},
		"a handicap as a result":      {claimed{market: "MATCH_RESULT", period: "FT", rows: []string{"HOME @1.95 name=Arsenal handicap=-1", "DRAW @3.60", "AWAY @4.10"}}, "AMBIGUOUS_SHAPE"},
		"a name in capitals":          {claimed{market: "MATCH_RESULT", period: "FT", rows: []string{"HOME @1.95 name=LEICESTER", "DRAW @3.60", "AWAY @4.10"}}, "AMBIGUOUS_SHAPE"},
		"a name with more":            {claimed{market: "MATCH_RESULT", period: "FT", rows: []string{"HOME @1.95 name=Leicester_to_win", "DRAW @3.60", "AWAY @4.10"}}, "AMBIGUOUS_SHAPE"},
		"the match in a label":        {claimed{market: "MATCH_RESULT", period: "FT", rows: []string{"HOME @1.95 event=Arsenal_v_Leicester name=Home", "DRAW @3.60", "AWAY @4.10"}}, "MATCH_RESULT FT: HOME, DRAW, AWAY"},
		"a word beside a code":        {claimed{market: "MATCH_RESULT", period: "FT", rows: []string{"HOME @1.95 name=Away code=zz", "DRAW @3.60", "AWAY @4.10"}}, "AMBIGUOUS_SHAPE"},
		"a player's other line":       {claimed{market: "PLAYER_SHOTS", period: "FT", subject: "B. Saka", rows: []string{"OVER 1.5 name=Over_2.5", "UNDER 1.5"}}, "AMBIGUOUS_SHAPE"},
		"a score with its winner":     {claimed{market: "CORRECT_SCORE", period: "FT", rows: []string{"2-1 name=Arsenal_2-1", "0-3 name=Leicester_3-0"}}, "CORRECT_SCORE FT: 2-1, 0-3"},
		"a double chance by names":    {claimed{market: "DOUBLE_CHANCE", period: "FT", rows: []string{"1X @1.2 name=Arsenal_or_Draw", "12 @1.3 name=Arsenal_or_Leicester", "X2 @1.9 name=Draw_or_Leicester"}}, "DOUBLE_CHANCE FT: 1X, 12, X2"},
		"a team's goals as all":       {claimed{market: "TOTAL_GOALS", period: "FT", line: "1.5", rows: []string{"OVER @1.9 name=Arsenal_Over_1.5", "UNDER @1.9 name=Arsenal_Under_1.5"}}, "AMBIGUOUS_SHAPE"},
		"a subject of no team":        {claimed{market: "TOTAL_GOALS", period: "FT", line: "2.5", subject: "HOME", rows: []string{"OVER @1.9", "UNDER @1.9"}}, "CONDITION_FAILED"},
		"a number that is an ordinal": {claimed{market: "CORNERS_RACE", period: "FT", line: "FIRST", rows: []string{"HOME", "AWAY"}}, "UNREADABLE_LINE"},
		"a half in the name":          {claimed{name: "Half-Time Result", market: "MATCH_RESULT", period: "FT", rows: result}, "CONDITION_FAILED"},
		"full time in the name":       {claimed{name: "Full Time Result", market: "MATCH_RESULT", period: "1H", rows: result}, "CONDITION_FAILED"},
		"shots in the name":           {claimed{name: "Total Shots", market: "TOTAL_GOALS", period: "FT", line: "2.5", rows: []string{"OVER @1.9", "UNDER @1.9"}}, "CONDITION_FAILED"},
		"goals in the name":           {claimed{name: "Total Goals", market: "TOTAL_CORNERS", period: "FT", line: "2.5", rows: []string{"OVER @1.9", "UNDER @1.9"}}, "CONDITION_FAILED"},
		"an aside":                    {claimed{name: "To Score (excl. cards)", market: "TEAM_TO_SCORE", period: "FT", subject: "HOME", rows: []string{"YES @1.9", "NO @1.9"}}, "TEAM_TO_SCORE FT: HOME YES, HOME NO"},
		"a team called like a card":   {claimed{name: "Cardiff Goals", market: "TOTAL_GOALS", period: "FT", line: "2.5", rows: []string{"OVER @1.9", "UNDER @1.9"}}, "TOTAL_GOALS FT: OVER 2.5, UNDER 2.5"},
		"another half":                {claimed{name: "2nd Half Result", market: "MATCH_RESULT", period: "FT", rows: result}, "CONDITION_FAILED"},
		"halves in the name":          {claimed{name: "1st Half / 2nd Half", market: "HALF_TIME_FULL_TIME", period: "FT", rows: []string{"HOME/DRAW"}}, "HALF_TIME_FULL_TIME FT: HOME/DRAW"},
		"a total":                     {claimed{market: "TOTAL_GOALS", period: "1H", rows: []string{"OVER 2.75 @1.9", "UNDER 2.75 @1.9", "OVER", "UNDER x"}}, "TOTAL_GOALS 1H: OVER 2.75, UNDER 2.75, #2!, #3!"},
		"a team's total":              {claimed{market: "TEAM_TOTAL_GOALS", period: "FT", subject: "AWAY", line: "1.5", rows: []string{"OVER @1.9", "UNDER @1.9"}}, "TEAM_TOTAL_GOALS FT: AWAY OVER 1.5, AWAY UNDER 1.5"},
		"both teams' totals":          {claimed{market: "TEAM_TOTAL_GOALS", period: "FT", line: "1.5", rows: []string{"AWAY|OVER @1.9", "HOME|OVER @2.1"}}, "TEAM_TOTAL_GOALS FT: AWAY OVER 1.5; TEAM_TOTAL_GOALS FT: HOME OVER 1.5"},
		"own side":                    {claimed{market: "ASIAN_HANDICAP", period: "FT", rows: []string{"HOME -0.5 @1.95", "AWAY +0.5 @1.93"}}, "ASIAN_HANDICAP FT: HOME -0.5, AWAY +0.5"},
		"the home side's line twice":  {claimed{market: "ASIAN_HANDICAP", period: "FT", rows: []string{"HOME -0.5 @1.95", "AWAY -0.5 @1.93"}}, "CONDITION_FAILED"},
		"the label's sign turned":     {claimed{market: "ASIAN_HANDICAP", period: "FT", rows: []string{"HOME +0.5 @1.95 name=Arsenal_-0.5", "AWAY -0.5 @1.93"}}, "AMBIGUOUS_SHAPE"},
		"three-way, turned":           {claimed{market: "HANDICAP_RESULT", period: "FT", line: "-1", rows: []string{"HOME @1.31 name=Arsenal_+1", "DRAW @5.60", "AWAY @8.10"}}, "AMBIGUOUS_SHAPE"},
		"a label that is like a code": {claimed{market: "ASIAN_HANDICAP", period: "FT", rows: []string{"HOME -1 @1.95 name=Arsenal handicap=-1", "AWAY +1 @1.93 name=Leicester handicap=1"}}, "ASIAN_HANDICAP FT: HOME -1, AWAY +1"},
		"a label without a sign":      {claimed{market: "ASIAN_HANDICAP", period: "FT", rows: []string{"HOME -0.5 @1.95 name=Arsenal line=0.5", "AWAY +0.5 @1.93 name=Leicester line=0.5"}}, "ASIAN_HANDICAP FT: HOME -0.5, AWAY +0.5"},
		"a zero that says nothing":    {claimed{market: "HANDICAP_RESULT", period: "FT", line: "+1", rows: []string{"HOME @1.31 name=Arsenal_+1 handicap=0.0", "DRAW @5.60 name=Draw handicap=0.0", "AWAY @8.10 name=Leicester_-1 handicap=0.0"}}, "HANDICAP_RESULT FT: HOME +1, DRAW +1, AWAY +1"},
		"level":                       {claimed{market: "ASIAN_HANDICAP", period: "FT", rows: []string{"HOME 0 @1.95", "AWAY 0 @1.93"}}, "ASIAN_HANDICAP FT: HOME 0, AWAY 0"},
		"without signs":               {claimed{market: "ASIAN_HANDICAP", period: "FT", rows: []string{"HOME 0.5 @1.95", "AWAY 0.5 @1.93"}}, "UNREADABLE_LINE"},
		"a ladder": {claimed{market: "ASIAN_HANDICAP", period: "FT", rows: []string{"HOME -1.5 @3.30", "AWAY +1.5 @1.30", "HOME -0.5 @1.95", "AWAY +0.5 @1.93", "HOME +0.5 @1.30", "AWAY -0.5 @3.40"}},
			"ASIAN_HANDICAP FT: HOME -1.5, AWAY +1.5, HOME -0.5, AWAY +0.5, HOME +0.5, AWAY -0.5"},
		"three-way":            {claimed{market: "HANDICAP_RESULT", period: "FT", line: "-1", rows: []string{"HOME @3.10", "DRAW @3.60", "AWAY @2.10"}}, "HANDICAP_RESULT FT: HOME -1, DRAW -1, AWAY -1"},
		"three-way, own sides": {claimed{market: "HANDICAP_RESULT", period: "FT", rows: []string{"HOME -1 @3.10", "DRAW -1 @3.60", "AWAY +1 @2.10"}}, "CONDITION_FAILED"},
		"double chance":        {claimed{market: "DOUBLE_CHANCE", period: "FT", rows: []string{"1X @1.2", "12 @1.3", "X2 @1.9"}}, "DOUBLE_CHANCE FT: 1X, 12, X2"},
		"halves":               {claimed{market: "HALF_TIME_FULL_TIME", period: "FT", rows: []string{"HOME/DRAW", "AWAY/AWAY"}}, "HALF_TIME_FULL_TIME FT: HOME/DRAW, AWAY/AWAY"},
		"two things":           {claimed{market: "DOUBLE_CHANCE_AND_TOTAL_GOALS", period: "FT", line: "2.5", rows: []string{"1X&OVER", "X2&UNDER"}}, "DOUBLE_CHANCE_AND_TOTAL_GOALS FT: 1X&OVER 2.5, X2&UNDER 2.5"},
		"by half":              {claimed{market: "BOTH_TEAMS_TO_SCORE_BY_HALF", period: "FT", rows: []string{"YES/NO", "NO/NO"}}, "BOTH_TEAMS_TO_SCORE_BY_HALF FT: YES/NO, NO/NO"},
		"stages":               {claimed{market: "METHOD_OF_VICTORY", period: "FT_ET_PEN", rows: []string{"HOME_FT", "AWAY_PEN"}}, "METHOD_OF_VICTORY FT_ET_PEN: HOME_FT, AWAY_PEN"},
		"margins":              {claimed{market: "WINNING_MARGIN", period: "FT", rows: []string{"HOME_2", "AWAY_4+", "SCORE_DRAW", "NO_GOAL"}}, "WINNING_MARGIN FT: HOME_2, AWAY_4+, SCORE_DRAW, NO_GOAL"},
		"scores":               {claimed{market: "CORRECT_SCORE", period: "FT", rows: []string{"2-1", "0-3", "OTHER_HOME"}}, "CORRECT_SCORE FT: 2-1, 0-3, OTHER_HOME"},
		"two scores":           {claimed{market: "HALF_TIME_FULL_TIME_CORRECT_SCORE", period: "FT", rows: []string{"1-0/2-1", "0-0/0-10"}}, "HALF_TIME_FULL_TIME_CORRECT_SCORE FT: 1-0/2-1, 0-0/0-10"},
		"counts":               {claimed{market: "EXACT_GOALS", period: "FT", rows: []string{"0", "3", "4+"}}, "EXACT_GOALS FT: 0, 3, 4+"},
		"bands":                {claimed{market: "GOALS_RANGE", period: "FT", rows: []string{"0-1", "2-3", "6+"}}, "GOALS_RANGE FT: 0-1, 2-3, 6+"},
		"brackets":             {claimed{market: "TIME_OF_FIRST_GOAL", period: "FT", rows: []string{"1-10", "81+", "NO_GOAL"}}, "TIME_OF_FIRST_GOAL FT: 1-10, 81+, NO_GOAL"},
		"minutes":              {claimed{market: "TOTAL_GOAL_MINUTES", period: "FT", rows: []string{"UNDER 105", "105-125", "OVER 125"}}, "TOTAL_GOAL_MINUTES FT: UNDER 105, 105-125, OVER 125"},
		"an early goal":        {claimed{market: "EARLY_GOAL", period: "FT", line: "27:00", rows: []string{"YES", "NO"}}, "EARLY_GOAL FT: YES 27:00, NO 27:00"},
		"a late goal":          {claimed{market: "LATE_GOAL", period: "FT", rows: []string{"YES 73:00", "NO 73:00"}}, "LATE_GOAL FT: YES 73:00, NO 73:00"},
		"a team's first goal":  {claimed{market: "TIME_OF_FIRST_TEAM_GOAL", period: "FT", line: "27:00", rows: []string{"HOME|YES", "HOME|NO"}}, "TIME_OF_FIRST_TEAM_GOAL FT: HOME YES 27:00, HOME NO 27:00"},
		"a race":               {claimed{market: "CORNERS_RACE", period: "FT", line: "5", rows: []string{"HOME", "NEITHER", "AWAY"}}, "CORNERS_RACE FT: HOME 5, NEITHER 5, AWAY 5"},
		"races":                {claimed{market: "CORNERS_RACE", period: "FT", rows: []string{"HOME 5", "AWAY 7"}}, "CORNERS_RACE FT: HOME 5, AWAY 7"},
		"no number":            {claimed{market: "CORNERS_RACE", period: "FT", line: "five", rows: []string{"HOME", "AWAY"}}, "UNREADABLE_LINE"},
		"the nth goal":         {claimed{market: "NTH_GOAL", period: "FT", line: "2", rows: []string{"HOME", "NO_GOAL", "AWAY"}}, "NTH_GOAL FT: HOME 2, NO_GOAL 2, AWAY 2"},
		"which teams":          {claimed{market: "TEAMS_TO_SCORE", period: "FT", rows: []string{"BOTH", "HOME_ONLY", "AWAY_ONLY", "NO_GOAL"}}, "TEAMS_TO_SCORE FT: BOTH, HOME_ONLY, AWAY_ONLY, NO_GOAL"},
		"which half":           {claimed{market: "HIGHEST_SCORING_HALF", period: "FT", rows: []string{"1H", "2H", "EQUAL"}}, "HIGHEST_SCORING_HALF FT: 1H, 2H, EQUAL"},
		"three totals":         {claimed{market: "TOTAL_CORNERS_3WAY", period: "FT", line: "10", rows: []string{"OVER @2.2", "EXACTLY @8.0", "UNDER @2.0"}}, "TOTAL_CORNERS_3WAY FT: OVER 10, EXACTLY 10, UNDER 10"},
		"how":                  {claimed{market: "FIRST_GOAL_METHOD", period: "FT", rows: []string{"SHOT", "FREE_KICK"}}, "FIRST_GOAL_METHOD FT: SHOT, FREE_KICK"},
		"scorers":              {claimed{market: "GOALSCORER_FIRST", period: "FT", rows: []string{"B. Saka|YES", "NO_GOALSCORER"}}, "GOALSCORER_FIRST FT: B. Saka B. Saka, NO_GOALSCORER"},
		"two or more":          {claimed{market: "PLAYER_TO_SCORE_N_OR_MORE", period: "FT", line: "2", rows: []string{"B. Saka|YES"}}, "PLAYER_TO_SCORE_N_OR_MORE FT: B. Saka B. Saka 2"},
		"a player's shots":     {claimed{market: "PLAYER_SHOTS", period: "FT", subject: "B. Saka", rows: []string{"OVER 1.5", "UNDER 1.5"}}, "PLAYER_SHOTS FT: B. Saka OVER 1.5, B. Saka UNDER 1.5"},
		"player and score":     {claimed{market: "GOALSCORER_AND_CORRECT_SCORE", period: "FT", line: "FIRST", rows: []string{"B. Saka|2-1", "B. Saka|1-1"}}, "GOALSCORER_AND_CORRECT_SCORE FT: B. Saka B. Saka&2-1 FIRST, B. Saka B. Saka&1-1 FIRST"},
		"player and result":    {claimed{market: "GOALSCORER_AND_RESULT", period: "FT", line: "FIRST", rows: []string{"B. Saka|HOME"}}, "GOALSCORER_AND_RESULT FT: B. Saka B. Saka&HOME FIRST"},
		"player and time":      {claimed{market: "GOALSCORER_AND_TIME", period: "FT", rows: []string{"B. Saka|1-10"}}, "GOALSCORER_AND_TIME FT: B. Saka B. Saka&1-10 FIRST"},
		"a team's scorer":      {claimed{market: "TEAM_GOALSCORER", period: "FT", line: "FIRST", rows: []string{"B. Saka|YES"}}, "TEAM_GOALSCORER FT: B. Saka B. Saka FIRST"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.derived(t); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// The lines of a ladder may be a market each. When one closes, the ids of the others stay, also those of their selections; so do
// they when a label changes its text.
func TestClaimedLadderKeepsItsIDs(t *testing.T) {
	p := feed.Provider("acme")
	line := func(id, line, label string) string {
		return fmt.Sprintf(`{"id":%q,"name":"Over/Under %s","claim":{"market":"TOTAL_GOALS","period":"FT","line":%[2]q},"selections":[
			{"labels":{"name":"Over","size":%q},"odds":{"decimal":"1.9"},"claim":{"selection":"OVER"}},
			{"labels":{"name":"Under","size":%[3]q},"odds":{"decimal":"1.9"},"claim":{"selection":"UNDER"}}]}`, id, line, label)
	}
	ids := func(list ...string) map[string]string {
		body := `{"source":"acme","missing":[],"fixtures":[{"id":"1","retrieved_at":"2026-11-20T09:00:00Z","markets":[` + strings.Join(list, ",") + `]}]}`
		sheet, err := p.Markets.ReadMarkets(provider.Payload{Endpoint: "markets", FetchedAt: time.Unix(1_795_000_000, 0), Body: []byte(body)}, provider.Listing{})
		check.Must(t, err)
		found := map[string]string{}
		for _, m := range markets.Derive(identity.NewMinter(identity.Key{1}, p.Name), sheet.Fixtures[0].Fixture, sheet.Fixtures[0].Offers) {
			found[m.Key] = string(m.ID)
			for _, s := range m.Selections {
				found[m.Key+s.Selection] = string(s.ID)
			}
		}
		return found
	}
	all := ids(line("a", "0.5", "7"), line("b", "1.5", "7"), line("c", "2.5", "7"))
	few := ids(line("c", "2.5", "8"), line("b", "1.5", "9"))
	for what, id := range few {
		if id != all[what] || id == "" {
			t.Errorf("%s is %s, and was %s", what, id, all[what])
		}
	}
	if len(few) != 6 || len(all) != 9 {
		t.Errorf("%d of %d", len(few), len(all))
	}
}
