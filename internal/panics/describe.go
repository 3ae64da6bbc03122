// Package panics describes recovered panics for logs and errors, which must not contain a
// stack trace, a path of the machine, or any part of a payload or secret.
package panics

import (
	"fmt"
	"path"
	"runtime"
	"strings"
)

// Describe returns the cause of a panic and the line of mkt that it came from, such as
// "runtime error: index out of range [5] with length 3 in
// mkt/transform/markets.readLine (line.go:88)". If the value is not a runtime error, only
// its type is included, because the value may contain anything. Describe must be called by
// the deferred function that recovered.
func Describe(recovered any) string {
	what := fmt.Sprintf("a %T", recovered)
	if err, ok := recovered.(runtime.Error); ok {
		what = err.Error()
	}
	return what + " in " + location()
}

// location returns the innermost function of this module that was running when the panic
// began.
func location() string {
	var callers [64]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers[:])])
	below := false
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			below = true
		case below && strings.HasPrefix(f.Function, "mkt/"), below && strings.HasPrefix(f.Function, "main."):
			return fmt.Sprintf("%s (%s:%d)", f.Function, path.Base(f.File), f.Line)
		case !more:
			return "no function of mkt"
		}
	}
}
