package backtest

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Report is the result of a measurement. The first row is momentum, then come momentum as
// read over HTTP, the baselines, and the variants.
type Report struct {
	Matches int      `json:"matches"`
	Minutes int      `json:"minutes"`
	Rows    []Row    `json:"rows"`
	Misses  []string `json:"targets_missed"` // not nil; see [Report.misses]
	Bands   []Band   `json:"-"`

	matches   []Match
	questions []Question
	answers   Answers
}

// Row is one predictor's figures, and by how much momentum exceeds them in the same
// resamples.
type Row struct {
	Name     string  `json:"name"`
	Baseline bool    `json:"baseline"`
	Figures  Figures `json:"figures"`
	Momentum Figures `json:"-"`
}

// Band is the outcomes of the minutes at which momentum led by a range.
type Band struct {
	From, To int     // distance from 50
	Share    float64 // of the minutes with a number
	Shot     float64 // how often the leading side shot next, of the minutes before a shot; NaN if there is no lead
	Goal     float64 // the same for goals
}

// bands are the ranges of lead that are reported separately.
var bands = []Band{{From: 0, To: 0}, {From: 1, To: 3}, {From: 4, To: 7}, {From: 8, To: 12}, {From: 13, To: 18}, {From: 19, To: 50}}

func newReport(o Options, matches []Match, questions []Question, predictors []Predictor, answers []Answers, scores []*drawn) *Report {
	r := &Report{Matches: len(matches), Minutes: len(questions), matches: matches, questions: questions, answers: answers[0]}
	first := len(shown(o.Seed))
	for i, p := range predictors {
		r.Rows = append(r.Rows, Row{p.Name, i >= first && i < first+len(Baselines()), scores[i].figures(), scores[0].less(scores[i])})
	}
	for _, b := range bands {
		r.Bands = append(r.Bands, b.measure(questions, answers[0]))
	}
	r.Misses = r.misses()
	return r
}

func (b Band) measure(questions []Question, answers Answers) Band {
	var all, in, shots, shotsAhead, goals, goalsAhead float64
	for i := range questions {
		if answers[i] == NoNumber {
			continue
		}
		all++
		lead := int(answers[i]) - 50
		if abs := max(lead, -lead); abs < b.From || abs > b.To {
			continue
		}
		in++
		ahead := by((1 - sign(lead)) / 2)
		if questions[i].Shot != Nobody {
			shots++
			shotsAhead += one(questions[i].Shot == ahead)
		}
		if questions[i].Goal != Nobody {
			goals++
			goalsAhead += one(questions[i].Goal == ahead)
		}
	}
	b.Share, b.Shot, b.Goal = in/all, shotsAhead/shots, goalsAhead/goals
	if b.To == 0 {
		b.Shot, b.Goal = math.NaN(), math.NaN()
	}
	return b
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// misses names the targets of docs/momentum.md that momentum misses, at the moment of the
// question and as read over HTTP: better than every baseline, calm, and available. An
// empty result is good.
func (r *Report) misses() []string {
	misses := []string{}
	for i := range r.Rows[:2] {
		misses = append(misses, r.missesOf(&r.Rows[i])...)
	}
	return misses
}

func (r *Report) missesOf(row *Row) (misses []string) {
	mine := &row.Figures
	miss := func(format string, args ...any) {
		misses = append(misses, row.Name+": "+fmt.Sprintf(format, args...))
	}
	for _, other := range r.Rows {
		if !other.Baseline {
			continue
		}
		for _, m := range []Metric{ShotAUC, ShotAUCLive, GoalAUC} {
			if mine[m].Value <= other.Figures[m].Value {
				miss("%s %.4f is not above %s, %.4f", m, mine[m].Value, other.Name, other.Figures[m].Value)
			}
		}
		if mine[ShotBrier].Value >= other.Figures[ShotBrier].Value {
			miss("shot Brier %.4f is not below %s, %.4f", mine[ShotBrier].Value, other.Name, other.Figures[ShotBrier].Value)
		}
		if above := mine[ShotAUC].Value - other.Figures[ShotAUC].Value; other.Name == dangerousLastTen && above < 0.02 {
			miss("shot AUC is %.4f above %s, not 0.02", above, other.Name)
		}
	}
	if v := mine[Step].Value; v > 4 {
		miss("step %.2f is above 4", v)
	}
	if v := mine[Flip].Value; v > 0.08 {
		miss("flip %.3f is above 0.08", v)
	}
	if v := mine[Available].Value; v < 0.97 {
		miss("available %.3f is below 0.97", v)
	}
	return misses
}

// WriteCSV writes momentum at every minute: match_id, period, second and home's share,
// empty if there is no number.
func (r *Report) WriteCSV(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "match_id,period,second,home")
	for i, q := range r.questions {
		fmt.Fprintf(b, "%s,%s,%d,", r.matches[q.Match].ID, periodNames[q.Period], q.Second)
		if r.answers[i] != NoNumber {
			fmt.Fprint(b, r.answers[i])
		}
		b.WriteByte('\n')
	}
	return b.Flush()
}

// WriteText writes the tables as Markdown.
func (r *Report) WriteText(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%d matches, %d full minutes of play\n\n", r.Matches, r.Minutes)
	r.table(b, "predictor", []Metric{ShotAUC, ShotAUCLive, ShotBrier, PastRho, Step, Flip, Available}, func(row *Row) *Figures { return &row.Figures })
	r.table(b, "predictor", []Metric{GoalAUC, GoalAUCLive, GoalBrier, DangerRho}, func(row *Row) *Figures { return &row.Figures })
	r.table(b, "momentum less", []Metric{ShotAUC, ShotAUCLive, ShotBrier, GoalAUC}, func(row *Row) *Figures { return &row.Momentum })
	fmt.Fprintf(b, "| lead | share of minutes | next shot by the side ahead | next goal by the side ahead |\n|---|---|---|---|\n")
	for _, band := range r.Bands {
		fmt.Fprintf(b, "| %d-%d | %s | %s | %s |\n", band.From, band.To, percent(band.Share), percent(band.Shot), percent(band.Goal))
	}
	b.WriteByte('\n')
	for _, miss := range r.Misses {
		fmt.Fprintf(b, "target missed: %s\n", miss)
	}
	return b.Flush()
}

func (r *Report) table(w io.Writer, head string, metrics []Metric, of func(*Row) *Figures) {
	fmt.Fprintf(w, "| %s |", head)
	for _, m := range metrics {
		fmt.Fprintf(w, " %s |", m)
	}
	fmt.Fprintf(w, "\n|---|%s\n", strings.Repeat("---|", len(metrics)))
	for i := range r.Rows {
		row := &r.Rows[i]
		if head != "predictor" && i == 0 {
			continue
		}
		fmt.Fprintf(w, "| %s |", row.Name)
		for _, m := range metrics {
			fmt.Fprintf(w, " %s |", of(row)[m].text(metricNames[m].places))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
}

func (f Figure) text(places int) string {
	if math.IsNaN(f.Value) {
		return "-"
	}
	if f.Low == f.High {
		return digits(f.Value, places)
	}
	return fmt.Sprintf("%s [%s, %s]", digits(f.Value, places), digits(f.Low, places), digits(f.High, places))
}

// digits formats v without a minus sign on zero.
func digits(v float64, places int) string {
	text := strconv.FormatFloat(v, 'f', places, 64)
	if strings.Trim(text, "-0.") == "" {
		text = strings.TrimPrefix(text, "-")
	}
	return text
}

func percent(f float64) string {
	if math.IsNaN(f) {
		return ""
	}
	return fmt.Sprintf("%.0f %%", 100*f)
}
