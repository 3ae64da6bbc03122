// Package tail is an API client as described in docs/clients.md: it pages through the fixtures
// once, follows the changes from there, and can compare its state with the service's. It
// is a reference for people who write their own client, and a probe for operators.
//
// It uses only the contract, over HTTP, and shares no code with the service.
package tail
