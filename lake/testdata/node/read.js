// Prints the rows of Iceberg tables as lines of JSON: node read.js FOLDER...
// Numbers and times are texts: numbers with all of their digits, times in milliseconds.
import { readFile } from 'node:fs/promises'
import { icebergMetadata, icebergRead } from 'icebird'

// icebird reads by URL. The tables here are files, and their metadata names them by path, or
// below s3://bucket, which icebird turns into an address of Amazon, and which is the folder LAKE.
globalThis.fetch = async (url, { method, headers } = {}) => {
  let bytes
  try {
    bytes = await readFile(String(url).replace('https://bucket.s3.amazonaws.com', process.env.LAKE))
  } catch {
    return new Response(null, { status: 404 })
  }
  const range = /bytes=(\d+)-(\d*)/.exec(new Headers(headers).get('Range') ?? '')
  if (method === 'HEAD') return new Response(null, { headers: { 'Content-Length': bytes.length } })
  if (!range) return new Response(bytes)
  const end = range[2] === '' ? bytes.length : Number(range[2]) + 1
  return new Response(bytes.subarray(Number(range[1]), end), { status: 206 })
}

// icebird's inflate reads a stream again behind its end, where it ignores what it writes behind
// the end of its buffer, except that set throws: for a stored block, with which Go ends a stream.
const set = Uint8Array.prototype.set
Uint8Array.prototype.set = function (from, at = 0) { if (at < this.length) set.call(this, from, at) }

const text = (key, value) => {
  if (typeof value === 'bigint' || typeof value === 'number') return String(value)
  if (value === undefined) return null
  return value
}
Date.prototype.toJSON = function () { return String(this.getTime()) }

for (const tableUrl of process.argv.slice(2)) {
  const metadata = await icebergMetadata({ tableUrl })
  const rows = metadata['current-snapshot-id'] > 0n || metadata['current-snapshot-id'] > 0 ? await icebergRead({ tableUrl, metadata }) : []
  for (const row of rows) {
    process.stdout.write(JSON.stringify({ table: tableUrl, row }, text) + '\n')
  }
}
