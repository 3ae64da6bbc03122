// Package cluster is what several machines agree on in Redis or Valkey: which worker runs which
// account, who runs a cycle at this moment, and that there is something new to read.
//
// Nothing of record is kept there. A lease saves work, and keeps a provider from being asked
// twice. The conditional commit of a publication keeps the data safe. News is a hint, and its
// reader looks at the commit itself. While the server does not answer, each worker runs the
// accounts that it has and takes no others. If the server loses everything, the workers announce
// themselves again, and the accounts stay where they are meanwhile.
//
//	<prefix>:workers                    sorted set: workers by the time of their newest announcement
//	<prefix>:since                      when the server began to know them, in milliseconds
//	<prefix>:lease:<account>:<product>  the holder of the lease of a cycle, with an expiry
//	<prefix>:news                       channel: "<account> <product> <version>" of each publication
//
// All times there are those of the server's clock. Package serve/limits keeps its counts in the
// same server, over the [Client] of this package.
//
// Source: SCALE, section 2.
package cluster
