// Package backtest measures momentum on real matches: who shoots next, who
// scores next, where the danger of the next five minutes is, how calm the number
// is and how often there is one, beside the simple predictors anyone would try.
//
// The matches are files of counter increments. They are turned into what a live
// client sees that polls every eight seconds, and folded by the very Fold of the
// live pipeline. Every figure has an interval from 500 drawings of whole matches
// with a fixed seed; two predictors are compared over the same drawings.
//
// match.go reads the files, sample.go samples them, question.go asks, baseline.go
// and momentum.go answer, metrics.go scores, bootstrap.go draws, report.go tells.
//
// Source: docs/momentum.md, which has the definitions and the measured table.
package backtest
