// Package backtest measures momentum on real matches: who shoots next, who scores next,
// where the danger of the next five minutes is, how steady the number is and how often
// there is one, compared with the simple predictors that anyone would try.
//
// The matches are files of counter increments. They are turned into what a live client
// sees that polls every eight seconds, and folded by the Fold of the live pipeline. Every
// figure has an interval from 500 resamples of whole matches with a fixed seed. Two
// predictors are compared over the same resamples.
//
// match.go reads the files, half.go divides the matches, sample.go samples them, question.go poses the questions,
// baseline.go and momentum.go answer them, metrics.go, score.go and stability.go score the
// answers and resample, and report.go writes the report.
//
// Source: docs/momentum.md, which has the definitions and the measured table.
package backtest
