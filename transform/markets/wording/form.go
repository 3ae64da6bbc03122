// Package wording reads the words of one row against the form of its market: who, over or under a
// line, yes or no, which score. Every token is read exactly once, and none is left over. A row with
// two possible readings is not read at all.
//
//	form.go plan.go               the required content of each canonical market's rows
//	read.go search.go finish.go   one row's words against its form, in every way
//	option.go part.go sides.go    the possible meanings of a word
//	player.go cast.go score.go    rows about players; scores
package wording

import (
	"strings"

	"mkt/fetch/input"
	"mkt/publish/football"
)

// class is one kind of word in a selection.
type class struct {
	kind  classKind
	sides SideSet       // of sideClass: the allowed sides
	words input.Phrases // of wordClass; of sideClass: the phrases for neither side
}

// same reports whether two parts have the same words.
func (c *class) same(d *class) bool {
	return c.kind == d.kind && (c.kind != wordClass || c.words == d.words)
}

type classKind uint8

const (
	wordClass    classKind = iota // one of a few phrases
	sideClass                     // HOME, DRAW, AWAY, as far as allowed
	doubleClass                   // 1X, 12, X2
	onlyClass                     // BOTH, HOME_ONLY, AWAY_ONLY, NO_GOAL
	answerClass                   // YES, NO, or a sentence about the side
	eventClass                    // "[No] Goal before 27:00"
	countClass                    // n, n+
	bandClass                     // a-b, n+
	minutesClass                  // UNDER, a-b, OVER, in minutes
	bracketClass                  // a-b in minutes of play
	scoreClass                    // h-a
	marginClass                   // HOME_n, AWAY_n+, SCORE_DRAW
)

// form is the required wording of a canonical market's rows.
type form struct {
	parts  []class // the parts of the selection, in canonical order: one or two
	join   string  // "&", "/" or "_" between two parts
	want   slots   // must be in each row, besides
	may    slots   // may be in a row
	player playerForm
	nobody string // of a market about players: the outcome of the row for no player
	halves bool   // two scores in one sentence, see score.go
}

// slots are the parts of a row's meaning, each at most once.
type slots uint8

const (
	part0 slots = 1 << iota
	part1
	about  // the side of the market
	line   // a line of the market's kind
	target // a whole number that distinguishes selections
	half   // the half of the market
	head   // the winner of a score or margin
	owner  // the side with the handicap in the draw's row
)

// playerForm is the wording of a player market's rows. The player's name is the rest after all
// other words, in the provider's spelling, if it is proven to be a name; see package names.
type playerForm uint8

const (
	noPlayer     playerForm = iota
	playerName              // the player, and at most a column
	playerTotal             // the player, over or under, and a line
	playerScore             // "P to score first and Russia 1-0"
	playerResult            // "P to score first and Fulltime Result: Russia"
	playerTime              // "P to score first and time of first goal 1-20"
)

// forms has the form of every market the engine can read, by canonical name. A market without one
// stays RAW.
var forms = makeForms()

func makeForms() map[string]*form {
	all := make(map[string]*form)
	for i := range football.Vocabulary() {
		t := &football.Vocabulary()[i]
		if f := formOf(t); f != nil {
			all[t.Canonical] = f
		}
	}
	return all
}

// formOf finds the form of a market in the pattern of its outcomes, its line and its subject. It
// is nil if no wording of the market is known.
func formOf(t *football.Term) *form {
	f := playerFormOf(t)
	if f == nil {
		f = outcomes(t)
	}
	if f == nil {
		return nil
	}
	switch t.Line {
	case football.TotalLine, football.WholeTotalLine, football.AsianHandicap, football.EuropeanHandicap:
		f.want |= line
	case football.CountLine, football.OrdinalLine:
		if len(f.parts) == 0 || f.parts[0].kind != countClass {
			f.want |= target
		}
	case football.NoLine, football.RangeLine, football.TimeLine:
	default:
		return nil
	}
	switch t.Subject {
	case "MATCH", "PLAYER", "PLAYER+TEAM":
	case "MATCH|TEAM":
		f.may |= about
	case "TEAM":
		f.want |= about
	default:
		return nil
	}
	if t.Line == football.EuropeanHandicap {
		f.may |= owner
	}
	return f
}

// outcomes is the form of the selections pattern alone.
func outcomes(t *football.Term) *form {
	sides := class{kind: sideClass, sides: HomeBit | DrawBit | AwayBit}
	double := class{kind: doubleClass}
	over := class{words: input.OverUnder}
	yes := class{words: input.YesNo}
	switch t.Selections {
	case "HOME|DRAW|AWAY":
		return one(sides)
	case "HOME|AWAY":
		return one(class{kind: sideClass, sides: HomeBit | AwayBit})
	case "HOME|DRAW":
		return one(class{kind: sideClass, sides: HomeBit | DrawBit})
	case "DRAW|AWAY":
		return one(class{kind: sideClass, sides: DrawBit | AwayBit})
	case "HOME|NO_GOAL|AWAY":
		return one(class{kind: sideClass, sides: HomeBit | DrawBit | AwayBit, words: input.NoGoal})
	case "HOME|NEITHER|AWAY":
		return one(class{kind: sideClass, sides: HomeBit | AwayBit, words: input.Neither})
	case "HOME|NONE|AWAY":
		return one(class{kind: sideClass, sides: HomeBit | AwayBit, words: input.None})
	case "1X|12|X2":
		return one(double)
	case "OVER|UNDER":
		return one(over)
	case "OVER|EXACTLY|UNDER":
		return one(class{words: input.OverExactlyUnder})
	case "YES|NO":
		return yesNoForm(t)
	case "ODD|EVEN":
		return one(class{words: input.OddEven})
	case "1H|2H|EQUAL":
		return one(class{words: input.HalvesOrEqual})
	case "SCORED|MISSED":
		return one(class{words: input.ScoredMissed})
	case "SHOT|HEADER|PENALTY|FREE_KICK|OWN_GOAL|NO_GOAL":
		return one(class{words: input.GoalMethods})
	case "BOTH|HOME_ONLY|AWAY_ONLY|NO_GOAL":
		return one(class{kind: onlyClass, words: input.BothTeams})
	case "n|n+", "n|a-b|n+":
		return one(class{kind: countClass})
	case "a-b|n+", "a-b|n+|NO_GOAL":
		return one(class{kind: bandClass})
	case "a-b|NO_GOAL":
		return one(class{kind: bracketClass})
	case "UNDER|a-b|OVER":
		return one(class{kind: minutesClass})
	case "HOME/HOME|HOME/DRAW|HOME/AWAY|DRAW/HOME|DRAW/DRAW|DRAW/AWAY|AWAY/HOME|AWAY/DRAW|AWAY/AWAY|OTHER":
		return two(sides, "/", sides)
	case "YES/YES|YES/NO|NO/YES|NO/NO":
		return two(yes, "/", yes)
	case "HOME&YES|HOME&NO|DRAW&YES|DRAW&NO|AWAY&YES|AWAY&NO":
		return two(sides, "&", yes)
	case "HOME&OVER|HOME&UNDER|DRAW&OVER|DRAW&UNDER|AWAY&OVER|AWAY&UNDER":
		return two(sides, "&", over)
	case "HOME&OVER|HOME&UNDER|AWAY&OVER|AWAY&UNDER":
		return two(class{kind: sideClass, sides: HomeBit | AwayBit}, "&", over)
	case "1X&OVER|1X&UNDER|12&OVER|12&UNDER|X2&OVER|X2&UNDER":
		return two(double, "&", over)
	case "1X&YES|1X&NO|12&YES|12&NO|X2&YES|X2&NO":
		return two(double, "&", yes)
	case "OVER&YES|OVER&NO|UNDER&YES|UNDER&NO":
		return two(over, "&", yes)
	case "h-a|OTHER|OTHER_HOME|OTHER_DRAW|OTHER_AWAY":
		f := one(class{kind: scoreClass})
		f.may |= head
		return f
	case "HOME_n|HOME_n+|AWAY_n|AWAY_n+|DRAW|SCORE_DRAW|NO_GOAL":
		f := one(class{kind: marginClass})
		f.may |= head
		return f
	case "HOME_FT|HOME_ET|HOME_PEN|AWAY_FT|AWAY_ET|AWAY_PEN":
		return two(class{kind: sideClass, sides: HomeBit | AwayBit}, "_", class{words: input.Stages})
	case `"h-a/h-a"|OTHER`:
		return &form{halves: true}
	}
	return nil
}

func yesNoForm(t *football.Term) *form {
	if t.Line == football.TimeLine {
		return one(class{kind: eventClass})
	}
	return one(class{kind: answerClass})
}

func one(c class) *form { return &form{parts: []class{c}, want: part0} }

func two(a class, join string, b class) *form {
	return &form{parts: []class{a, b}, join: join, want: part0 | part1}
}

func playerFormOf(t *football.Term) *form {
	switch t.Selections {
	case "player name", "player name (YES)":
		return &form{player: playerName}
	case "player name|NO_GOALSCORER", "player name|NO_CARD":
		_, nobody, _ := strings.Cut(t.Selections, "|")
		return &form{player: playerName, nobody: nobody}
	case "OVER|UNDER":
		if t.Subject == "PLAYER" {
			return &form{player: playerTotal}
		}
	case "player name&h-a":
		return &form{player: playerScore}
	case "player name&HOME|DRAW|AWAY":
		return &form{player: playerResult}
	case `player name&"a-b"`:
		return &form{player: playerTime}
	}
	return nil
}
