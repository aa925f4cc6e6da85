// The ordinary calls of @opensearch-project/opensearch, against the URLs of the first argument.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'

// The client is installed elsewhere: in the folder of the second argument, at the version of the third.
const require = createRequire(process.argv[3] + '/')
const { Client, errors } = require('@opensearch-project/opensearch')
const client = new Client({ nodes: process.argv[2].split(',') })
const info = (await client.info()).body
assert.equal(info.version.distribution, 'opensearch')
assert.ok((await client.ping()).body)
assert.equal((await client.cluster.health()).body.number_of_nodes, 3)
await client.indices.create({ index: 'books', body: { mappings: { properties: { year: { type: 'long' }, tag: { type: 'keyword' } } } } })
assert.ok((await client.indices.exists({ index: 'books' })).body)
assert.equal((await client.index({ index: 'books', id: '1', body: { year: 2001, tag: 'a' }, refresh: true })).body.result, 'created')
assert.equal((await client.get({ index: 'books', id: '1' })).body._source.year, 2001)
assert.equal((await client.update({ index: 'books', id: '1', body: { doc: { year: 2002 } } })).body.result, 'updated')
for (const [call, status] of [
  [() => client.create({ index: 'books', id: '1', body: {} }), 409],
  [() => client.get({ index: 'books', id: '9' }), 404],
  [() => client.search({ index: 'books', body: { query: { colour: {} } } }), 400],
]) {
  await assert.rejects(call, (e) => e instanceof errors.ResponseError && e.statusCode === status)
}
const rows = Array.from({ length: 100 }, (_, i) => ({ id: String(i + 2), year: i + 2, tag: 'b' }))
const loaded = await client.helpers.bulk({
  datasource: rows,
  onDocument: (doc) => ({ create: { _index: 'books', _id: doc.id } }),
  refreshOnCompletion: 'books',
})
assert.equal(loaded.successful, 100)
assert.equal((await client.count({ index: 'books', body: { query: { term: { tag: 'b' } } } })).body.count, 100)
let seen = 0
for await (const page of client.helpers.scrollSearch({ index: 'books', size: 30, body: { query: { match_all: {} } } })) seen += page.documents.length
assert.equal(seen, 101)
const answer = await client.transport.request({ method: 'POST', path: '/_plugins/_sql', body: { query: 'SELECT tag, COUNT(*) AS n FROM books GROUP BY tag ORDER BY tag' } })
assert.deepEqual(answer.body.datarows, [['a', 1], ['b', 100]])
assert.equal((await client.deleteByQuery({ index: 'books', body: { query: { term: { tag: 'b' } } }, refresh: true })).body.deleted, 100)
assert.ok((await client.indices.delete({ index: 'books' })).body.acknowledged)
await client.close()
console.log('@opensearch-project/opensearch', process.argv[4], 'on', info.version.number)
