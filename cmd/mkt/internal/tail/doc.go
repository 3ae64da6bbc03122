// Package tail is an API client as docs/clients.md describes it: it pages through the fixtures
// once, follows the changes from there, and can check that its state is that of the service. It
// is a reference for people who write their own client, and a probe for operators.
//
// It uses only the contract, over HTTP, and shares no code with the service.
package tail
