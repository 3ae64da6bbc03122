package backtest

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"sync"
	"time"
)

// Options configure a measurement.
type Options struct {
	Matches  fs.FS  // the folder of matches.csv.gz and the files it names
	Drawings int    // resamples for the intervals; 0 means 500
	Seed     uint64 // of the resamples, and of when each match is polled over HTTP
	Variants bool   // also momentum from worse feeds
	Half     Half   // of the matches; empty means all
}

// Run measures momentum and the baselines. It takes some seconds.
func Run(ctx context.Context, o Options) (*Report, error) {
	if o.Matches == nil {
		return nil, errors.New("backtest: no matches given")
	}
	if o.Drawings == 0 {
		o.Drawings = 500
	}
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
	if err := each(ctx, len(predictors), func(i int) {
		answers[i] = ask(predictors[i], matches, questions)
		scores[i] = score(matches, questions, answers[i], weights)
	}); err != nil {
		return nil, err
	}
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

// each calls do for 0 to n-1 on every core; a cancelled context stops it between two
// calls.
func each(ctx context.Context, n int, do func(i int)) error {
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	var err error
	for i := 0; i < n && err == nil; i++ {
		select {
		case next <- i:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	close(next)
	workers.Wait()
	return err
}
