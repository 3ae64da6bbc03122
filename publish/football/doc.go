// Package football is the canonical model of association football: fixtures, markets, selections,
// and the words for them.
//
// It defines the types, the typed ids, the three-state field and the closed vocabularies. It does
// no I/O, knows no provider, has no JSON or Parquet tags, and imports nothing of this module. So
// every stage can use it.
//
// Source: interface specification, sections 2.1 and 2.6 to 2.8.
package football
