// Package transparency keeps the operator's transparency log: an append-only list of the
// commits of all datasets, whose head is signed by the operator and cosigned by witnesses. With
// it a stranger can check that a publication is in the history that everybody sees, offline and
// without trusting the operator.
//
// The log is below log/ of the data root, as static files that any web server can offer:
//
//	log/checkpoint                     the signed head, with its cosignatures
//	log/tile/<level>/<index>           hashes of the Merkle tree, 256 a tile
//	log/tile/entries/<index>           the entries, 32 bytes each
//
// An entry is a hash of a [Leaf], so that the log alone says nothing about any account. The leaves
// themselves are below leaves/ of the data root, which is not for others: receipts are made from
// them.
//
//	leaves/<index>.json                256 leaves with all that a receipt needs of them
//	leaves/cosigned                    the newest checkpoint that a witness has cosigned
//	leaves/witnesses.json              the last answer of each witness
//	leaves/newest.json                 the newest leaf of each dataset, made again from the leaves
//
// One machine keeps the log. With an object store, the log is backed up there: see [TileFiles] and [LastFiles].
//
// A new head is committed by replacing log/checkpoint. Everything that it covers is durable
// before, and files beyond it are of an interrupted run and are replaced. A head is stored before
// anybody else sees it, so that a crash never makes a second history.
//
// Formats, to the letter: c2sp.org/tlog-checkpoint, c2sp.org/tlog-tiles,
// c2sp.org/tlog-cosignature, c2sp.org/tlog-witness, c2sp.org/tlog-policy and
// c2sp.org/tlog-proof, read on 2026-11-28. Hashes of the tree are those of RFC 6962.
package transparency
