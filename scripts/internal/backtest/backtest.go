package backtest

import (
	"io/fs"
	"sync"
	"time"
)

// Options configure a measurement.
type Options struct {
	Matches  fs.FS  // the folder of matches.csv.gz and the files it names
	Drawings int    // resamples for the intervals, at least 1
	Seed     uint64 // of the resamples, and of when each match is polled over HTTP
	Variants bool   // also momentum from worse feeds
	Half     Half   // of the matches; empty means all
}

// Run measures momentum and the baselines. It takes some seconds.
func Run(o Options) (*Report, error) {
	matches, err := Read(o.Matches)
	if err != nil {
		return nil, err
	}
	if matches, err = o.Half.of(matches); err != nil {
		return nil, err
	}
	questions := Questions(matches)
	predictors := append(shown(o.Seed), Baselines()...)
	if o.Variants {
		predictors = append(predictors, Variants()...)
	}
	weights := draws(len(matches), o.Drawings, o.Seed)
	answers := make([]Answers, len(predictors))
	scores := make([]*drawn, len(predictors))
	var workers sync.WaitGroup
	for i := range predictors {
		workers.Go(func() {
			answers[i] = ask(predictors[i], matches, questions)
			scores[i] = score(matches, questions, answers[i], weights)
		})
	}
	workers.Wait()
	return newReport(o, matches, questions, predictors, answers, scores), nil
}

// lateProvider is a delay of the provider that a client must expect.
const lateProvider = 10 * time.Second

// shown is momentum at the moment of a question, and as a client reads it.
func shown(seed uint64) []Predictor {
	return []Predictor{Momentum(), OverHTTP(seed, 0), OverHTTP(seed, lateProvider)}
}

func ask(p Predictor, matches []Match, questions []Question) Answers {
	answers := make(Answers, 0, len(questions))
	for from := 0; from < len(questions); {
		to := from
		for to < len(questions) && questions[to].Match == questions[from].Match {
			to++
		}
		answers = append(answers, p.Answer(&matches[questions[from].Match], questions[from:to])...)
		from = to
	}
	return answers
}
