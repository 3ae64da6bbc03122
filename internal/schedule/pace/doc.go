// Package pace decides how often the cycles of an account run if its provider's quota does
// not carry the schedule of tenants.yaml. It spreads the rest of the quota over the
// time until its renewal, for all products of the account together.
package pace
