"""The ordinary calls of elasticsearch-py, against the URLs of the argument."""

import sys

import elasticsearch
from elasticsearch import helpers

es = elasticsearch.Elasticsearch(sys.argv[1].split(","))
info = es.info()
assert info["tagline"] == "You Know, for Search", info
assert es.ping()
assert es.cluster.health(wait_for_nodes="3")["number_of_nodes"] == 3
assert len(es.nodes.info(metric="http")["nodes"]) == 3
assert len(es.cat.nodes(format="json")) == 3

es.options(ignore_status=404).indices.delete(index="books")
properties = {"title": {"type": "text"}, "year": {"type": "long"}, "tag": {"type": "keyword"}}
assert es.indices.create(index="books", mappings={"properties": properties}, settings={"number_of_shards": 1})["acknowledged"]
assert es.indices.exists(index="books") and not es.indices.exists(index="none")
es.indices.put_mapping(index="books", properties={"pages": {"type": "integer"}})
assert set(es.indices.get_mapping(index="books")["books"]["mappings"]["properties"]) == {"title", "year", "tag", "pages"}
es.indices.update_aliases(actions=[{"add": {"index": "books", "alias": "all-books"}}])
assert "all-books" in es.indices.get_alias(index="books")["books"]["aliases"]

made = es.index(index="books", id="1", document={"title": "One good book", "year": 2001, "tag": "a"}, refresh="wait_for")
assert made["result"] == "created" and made["_version"] == 1, made
assert es.get(index="books", id="1")["_source"]["year"] == 2001
assert es.get_source(index="books", id="1")["tag"] == "a"
assert es.exists(index="books", id="1") and not es.exists(index="books", id="9")
assert es.update(index="books", id="1", doc={"year": 2002})["result"] == "updated"
assert es.update(index="books", id="1", script={"source": "ctx._source.year += params.n", "params": {"n": 1}})["result"] == "updated"
for call, error in (
    (lambda: es.create(index="books", id="1", document={}), elasticsearch.ConflictError),
    (lambda: es.get(index="books", id="9"), elasticsearch.NotFoundError),
    (lambda: es.search(index="none"), elasticsearch.NotFoundError),
    (lambda: es.search(index="books", query={"colour": {}}), elasticsearch.BadRequestError),
):
    try:
        call()
    except error:
        continue
    raise AssertionError(error)

rows = [{"_op_type": "create", "_index": "books", "_id": str(i), "_source": {"title": f"book {i}", "year": i, "tag": "b"}} for i in range(2, 102)]
assert helpers.bulk(es, rows, refresh=True) == (100, [])
done, failed = helpers.bulk(es, rows[:3], raise_on_error=False)
assert done == 0 and [f["create"]["status"] for f in failed] == [409, 409, 409], failed
assert es.count(index="books", query={"term": {"tag": "b"}})["count"] == 100
assert len(es.mget(index="books", ids=["1", "2"])["docs"]) == 2
found = es.search(index="all-books", query={"bool": {"filter": [{"range": {"year": {"gte": 10, "lt": 20}}}]}}, sort=[{"year": "desc"}], size=3, source=["year"])
assert [h["_source"]["year"] for h in found["hits"]["hits"]] == [19, 18, 17], found
assert len(list(helpers.scan(es, index="books", size=30, query={"query": {"match_all": {}}}))) == 101
pit = es.open_point_in_time(index="books", keep_alive="1m")["id"]
seen, after = 0, None
while True:
    page = es.search(pit={"id": pit, "keep_alive": "1m"}, size=40, sort=[{"year": "asc"}], **({"search_after": after} if after else {}))
    if not page["hits"]["hits"]:
        break
    seen, after, pit = seen + len(page["hits"]["hits"]), page["hits"]["hits"][-1]["sort"], page["pit_id"]
assert seen == 101, seen
assert es.close_point_in_time(id=pit)["succeeded"]

answer = es.sql.query(query="SELECT tag, COUNT(*) AS n FROM books GROUP BY tag ORDER BY tag", fetch_size=10)
assert answer["rows"] == [["a", 1], ["b", 100]], answer
assert es.update_by_query(index="books", query={"term": {"tag": "b"}}, script={"source": "ctx._source.tag = 'c'"}, refresh=True)["updated"] == 100
assert es.delete_by_query(index="books", query={"term": {"tag": "c"}}, refresh=True)["deleted"] == 100
assert es.delete(index="books", id="1")["result"] == "deleted"
assert es.indices.refresh(index="books")["_shards"]["failed"] == 0
assert es.indices.delete(index="books")["acknowledged"]

sniffing = elasticsearch.Elasticsearch(sys.argv[1].split(",")[:1], sniff_on_start=True)
assert sniffing.info()["version"]["number"] == info["version"]["number"]
print("elasticsearch-py", ".".join(map(str, elasticsearch.__version__)), "on", info["version"]["number"])
