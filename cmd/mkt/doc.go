// Command mkt is the whole service in one binary: the batch steps fetch, transform and publish, the
// scheduler that calls them, the server that reads their files, a provider simulator, and tools.
//
// It is the only place that knows every stage. Each command turns its flags into a stage's Options,
// runs it, and reports the result: to a person on a terminal, or as JSON to a script. Results go to
// stdout; logs, progress and errors to stderr.
//
// Exit codes: 0 done, 1 failed, 2 wrong usage, 75 try again later.
package main
