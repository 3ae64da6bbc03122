// Package coordination decides, over NATS JetStream, which of several machines runs which account:
// every run holds a lease, every worker tells the others that it is there, and a publication is
// announced to whoever listens.
//
// Nothing of record is kept in NATS. A lease saves work, and keeps a provider from being asked
// twice; the conditional commit of a publication is what keeps the data safe. News is a hint,
// behind which the reader looks at the commit itself. If NATS loses everything, the bucket of the
// leases is made again, and nothing is taken from it until the leases that were lost are
// certainly over.
//
// The package knows names of accounts and products, and nothing else of mkt.
package coordination
