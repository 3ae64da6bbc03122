// Package admin is the operator's HTTP server of a long-running process, on an address of
// its own.
//
//	/livez    200 as long as the process answers
//	/readyz   200 if the process does its work, else 503 with the reason in plain text
//	/metrics  Prometheus, text or OpenMetrics
//
// It listens on loopback unless remote access is allowed explicitly. It requires no
// token, and so shows nothing about an account but its id. mkt serve and mkt schedule each
// have one and register their own metrics with it.
package admin
