// Package admin is the side door of a process that runs on: an address of its
// own, for the operator's monitor and nobody else.
//
//	/livez    200 as long as the process answers at all
//	/readyz   200 when it does its work, else 503 and why, in plain text
//	/metrics  Prometheus, text or OpenMetrics
//
// It listens on loopback unless it is told that others may come, asks for no
// token, and so shows nothing of an account but its id. mkt serve and mkt
// schedule each have one; both register their own metrics with it.
package admin
