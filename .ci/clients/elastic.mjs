// The ordinary calls of @elastic/elasticsearch, against the URLs of the first argument.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'

// The client is installed elsewhere: in the folder of the second argument, at the version of the third.
const require = createRequire(process.argv[3] + '/')
const { Client, errors } = require('@elastic/elasticsearch')
const client = new Client({ nodes: process.argv[2].split(',') })
const info = await client.info()
assert.equal(info.tagline, 'You Know, for Search')
assert.ok(await client.ping())
assert.equal((await client.cluster.health()).number_of_nodes, 3)
assert.equal(Object.keys((await client.nodes.info({ metric: 'http' })).nodes).length, 3)

await client.indices.create({ index: 'books', mappings: { properties: { year: { type: 'long' }, tag: { type: 'keyword' } } } })
assert.ok(await client.indices.exists({ index: 'books' }))
await client.indices.putMapping({ index: 'books', properties: { pages: { type: 'integer' } } })
assert.equal(Object.keys((await client.indices.getMapping({ index: 'books' })).books.mappings.properties).length, 3)
assert.equal((await client.index({ index: 'books', id: '1', document: { year: 2001, tag: 'a' }, refresh: 'wait_for' })).result, 'created')
assert.equal((await client.get({ index: 'books', id: '1' }))._source.year, 2001)
assert.equal((await client.update({ index: 'books', id: '1', doc: { year: 2002 } })).result, 'updated')
assert.equal((await client.update({ index: 'books', id: '1', script: { source: 'ctx._source.year += params.n', params: { n: 1 } } })).result, 'updated')
for (const [call, status] of [
  [() => client.create({ index: 'books', id: '1', document: {} }), 409],
  [() => client.get({ index: 'books', id: '9' }), 404],
  [() => client.search({ index: 'none' }), 404],
  [() => client.search({ index: 'books', query: { colour: {} } }), 400],
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
assert.equal((await client.count({ index: 'books', query: { term: { tag: 'b' } } })).count, 100)
const found = await client.search({ index: 'books', query: { range: { year: { gte: 10, lt: 20 } } }, sort: [{ year: 'desc' }], size: 3 })
assert.deepEqual(found.hits.hits.map((h) => h._source.year), [19, 18, 17])
let seen = 0
for await (const page of client.helpers.scrollSearch({ index: 'books', size: 30, query: { match_all: {} } })) seen += page.documents.length
assert.equal(seen, 101)
const pit = await client.openPointInTime({ index: 'books', keep_alive: '1m' })
const page = await client.search({ pit: { id: pit.id, keep_alive: '1m' }, size: 60, sort: [{ year: 'asc' }] })
const rest = await client.search({ pit: { id: page.pit_id, keep_alive: '1m' }, size: 60, sort: [{ year: 'asc' }], search_after: page.hits.hits.at(-1).sort })
assert.equal(rest.hits.hits.length, 41)
assert.ok((await client.closePointInTime({ id: rest.pit_id })).succeeded)

const answer = await client.sql.query({ query: 'SELECT tag, COUNT(*) AS n FROM books GROUP BY tag ORDER BY tag' })
assert.deepEqual(answer.rows, [['a', 1], ['b', 100]])
assert.equal((await client.deleteByQuery({ index: 'books', query: { term: { tag: 'b' } }, refresh: true })).deleted, 100)
assert.ok((await client.indices.delete({ index: 'books' })).acknowledged)
const sniffing = new Client({ node: process.argv[2].split(',')[0], sniffOnStart: true })
assert.equal((await sniffing.info()).version.number, info.version.number)
await sniffing.close()
await client.close()
console.log('@elastic/elasticsearch', process.argv[4], 'on', info.version.number)
