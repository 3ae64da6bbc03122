// Package coordination decides, over NATS JetStream, which of several machines runs which
// account. Every run holds a [Lease], every worker announces itself to the others, and every
// publication is announced to all listeners.
//
// Nothing of record is kept in NATS. A lease saves work, and keeps a provider from being asked
// twice; the conditional commit of a publication keeps the data safe. News is a hint: its reader
// looks at the commit itself. If NATS loses everything, the bucket of the leases is made again.
// No lease is taken from it until the lost ones are certainly over.
//
// The package knows names of accounts and products, and nothing else of mkt.
package coordination
