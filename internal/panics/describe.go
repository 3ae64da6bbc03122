// Package panics tells of a panic that was survived: in logs and errors, which
// hold no stack, no path of the machine, and nothing of a payload or a secret.
package panics

import (
	"fmt"
	"path"
	"runtime"
	"strings"
)

// Describe is what a panic was and the line of mkt that it came from, such as
// "runtime error: index out of range [5] with length 3 in
// mkt/transform/markets.readLine (line.go:88)". Of a value that is no error of the
// runtime's only the type is told, for it may hold anything. Call it in the deferred
// function that recovered.
func Describe(recovered any) string {
	what := fmt.Sprintf("a %T", recovered)
	if err, ok := recovered.(runtime.Error); ok {
		what = err.Error()
	}
	return what + " in " + place()
}

// place is the innermost function of this module below the panic.
func place() string {
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
