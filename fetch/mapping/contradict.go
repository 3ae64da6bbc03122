package mapping

import (
	"regexp"
	"strings"
	"sync"
	"sync/atomic"

	"mkt/fetch/input"
)

// words finds words in the name of a market, in any case.
func words(pattern string) *regexp.Regexp { return regexp.MustCompile("(?i)" + pattern) }

// things are the words for the things counted, and the parts of canonical names of which
// the market must have one: a market of goals has none of them.
var things = []struct {
	word *regexp.Regexp
	in   []string
}{
	{words(`corner`), []string{"CORNER"}},
	{words(`\bcards?\b`), []string{"CARD", "BOOKING", "SENT_OFF"}},
	{words(`\bbook(?:ing|ed)`), []string{"CARD", "BOOKING"}},
	{words(`yellow`), []string{"YELLOW"}},
	{words(`\bred cards?\b|\bsen(?:t|ding) off\b`), []string{"RED_CARD", "SENT_OFF"}},
	{words(`\bshots?|\bsot\b`), []string{"SHOT"}},
	{onTarget, []string{"ON_TARGET"}},
	{words(`offside`), []string{"OFFSIDE"}},
	{words(`\bfoul`), []string{"FOUL"}},
	{words(`\btackle`), []string{"TACKLE"}},
	{words(`\bsaves?\b`), []string{"SAVE"}},
	{words(`\bassist`), []string{"ASSIST"}},
	{words(`\bpass(?:es)?\b`), []string{"PASS"}},
	{words(`\bown goal`), []string{"OWN_GOAL"}},
	{words(`penalt|shoot-?out`), []string{"PENAL", "SHOOTOUT"}},
	{words(`\bthrow|\b(?:goal|free)[ -]?kicks?\b|\btouch|\bpossession\b|\bsubstitut`), nil},
}

// narrower are words for a part of the things counted. Where the market counts this part,
// a name with the wider word must say so.
var narrower = []struct {
	in         string
	wide, word *regexp.Regexp
}{
	{"YELLOW", words(`\bcards?\b`), words(`yellow`)},
	{"RED_CARD", words(`\bcards?\b`), words(`\bred\b`)},
	{"ON_TARGET", words(`\bshots?`), onTarget},
}

var (
	onTarget  = words(`on ?target\b|on ?goal\b|\bsot\b`)
	goals     = words(`\bgoals?\b`)
	notGoals  = words(`on ?goals?\b|\bgoal[ -]?kicks?\b`)
	noGoals   = regexp.MustCompile(`CORNER|CARD|BOOKING|SHOT|OFFSIDE|FOUL|TACKLE|SAVE|PASS`)
	hasLetter = regexp.MustCompile(`\p{L}`)

	// scoreAtOffer ends the name of a market that counts from the score at which the price
	// was taken.
	scoreAtOffer = regexp.MustCompile(`\([0-9]{1,2}-[0-9]{1,2}\)$`)
	firstHalf    = words(`\b(?:1st|first) half\b|\bhalf[ -]?time\b|\bh1\b`)
	secondHalf   = words(`\b(?:2nd|second) half\b|\bh2\b`)
	fullTime     = words(`\bfull[ -]?time\b|(?:^|[^-0-9])90 ?min`)
	extraTime    = words(`\bextra[ -]?time\b|\bovertime\b`)
	withoutExtra = words(`\b(?:excl|without|no)`)
	minutes      = words(`\b[0-9]{1,2} ?(?:m|mins?|minutes?)\b`)
	timed        = regexp.MustCompile(`TIME_OF|_AND_TIME|MINUTE|EARLY|LATE_`)

	homeSide   = words(`\bhome\b`)
	awaySide   = words(`\baway\b`)
	oneTeam    = words(`\bteam\b`)
	ofTheMatch = regexp.MustCompile(`^(?:TOTAL|EXACT|ODD_EVEN)_`) // of both sides together
)

// contradicts reports whether the name of a market contradicts the table's claim about its
// id or key: it names another thing counted, another period or side, or another score to
// count from. A name without such a word contradicts nothing, unless it has no letter at all.
func contradicts(r *input.Reading, name string) bool {
	if name == "" {
		return false
	}
	name = strings.ReplaceAll(name, "_", " ")
	if !hasLetter.MatchString(name) || scoreAtOffer.MatchString(strings.TrimSpace(name)) {
		return true
	}
	return countsOther(r, name) || isOtherTime(r, name) || isOtherSide(r, name)
}

func isOtherSide(r *input.Reading, name string) bool {
	isHome, isAway := homeSide.MatchString(name), awaySide.MatchString(name)
	switch r.Subject {
	case "HOME":
		return isAway && !isHome
	case "AWAY":
		return isHome && !isAway
	case "":
		return ofTheMatch.MatchString(r.Market) && (isHome != isAway || oneTeam.MatchString(name))
	}
	return false
}

func countsOther(r *input.Reading, name string) bool {
	all := r.Market + " " + r.Period
	if strings.HasSuffix(r.Period, "PEN") {
		all += "ALTIES"
	}
	said := false
	for _, t := range things {
		if !t.word.MatchString(name) {
			continue
		}
		found := false
		for _, in := range t.in {
			found = found || strings.Contains(all, in)
		}
		if !found {
			return true
		}
		said = true
	}
	for _, n := range narrower {
		if strings.Contains(r.Market, n.in) && n.wide.MatchString(name) && !n.word.MatchString(name) {
			return true
		}
	}
	return !said && noGoals.MatchString(r.Market) && !strings.Contains(r.Market, "GOAL") && goals.MatchString(notGoals.ReplaceAllString(name, ""))
}

func isOtherTime(r *input.Reading, name string) bool {
	first, second := firstHalf.MatchString(name), secondHalf.MatchString(name)
	halves := strings.Contains(r.Market, "HALF") || r.Period == ""
	switch {
	case halves:
	case first && !second && !strings.HasSuffix(r.Period, "1H"), second && !first && !strings.HasSuffix(r.Period, "2H"):
		return true
	}
	if fullTime.MatchString(name) && !first && !second && r.Period != "" && !strings.HasPrefix(r.Period, "FT") {
		return true
	}
	if extraTime.MatchString(name) && !withoutExtra.MatchString(name) && !strings.Contains(r.Period, "ET") && !strings.Contains(r.Market, "EXTRA_TIME") {
		return true
	}
	return minutes.MatchString(name) && !fullTime.MatchString(name) && !strings.Contains(r.Period, "-") && !timed.MatchString(r.Market)
}

// judged remembers the results of contradicts: fixtures have the same names.
type judged struct {
	verdicts sync.Map // of bool, by named
	size     atomic.Int64
}

type named struct {
	reading *input.Reading
	name    string
}

// maxNames bounds the memory: names come from outside.
const maxNames = 10_000

func (j *judged) contradicts(r *input.Reading, name string) bool {
	if v, ok := j.verdicts.Load(named{r, name}); ok {
		return v.(bool)
	}
	verdict := contradicts(r, name)
	if j.size.Add(1) <= maxNames {
		j.verdicts.Store(named{r, strings.Clone(name)}, verdict) // it may lie in a payload
	}
	return verdict
}
