// Package tail is a consumer of the API as docs/clients.md describes one: it pages
// the fixtures once, follows the changes from there, and can prove that what it
// holds is what the service has. It is the reference for people who write their
// own, and a probe for operators.
//
// It only knows the contract, over HTTP, and shares no code with the service.
package tail
