"""The ordinary calls of opensearch-py, against the URLs of the argument."""

import sys

import opensearchpy
from opensearchpy import helpers

os = opensearchpy.OpenSearch(sys.argv[1].split(","))
info = os.info()
assert info["version"]["distribution"] == "opensearch", info
assert os.ping()
assert os.cluster.health()["number_of_nodes"] == 3
assert len(os.nodes.info(metric="http")["nodes"]) == 3
os.indices.create(index="books", body={"mappings": {"properties": {"year": {"type": "long"}, "tag": {"type": "keyword"}}}})
assert os.indices.exists(index="books")
assert os.index(index="books", id="1", body={"year": 2001, "tag": "a"}, refresh=True)["result"] == "created"
assert os.get(index="books", id="1")["_source"]["year"] == 2001
assert os.update(index="books", id="1", body={"doc": {"year": 2002}})["result"] == "updated"
for call, error in (
    (lambda: os.create(index="books", id="1", body={}), opensearchpy.ConflictError),
    (lambda: os.get(index="books", id="9"), opensearchpy.NotFoundError),
    (lambda: os.search(index="books", body={"query": {"colour": {}}}), opensearchpy.RequestError),
):
    try:
        call()
    except error:
        continue
    raise AssertionError(error)
rows = [{"_op_type": "create", "_index": "books", "_id": str(i), "_source": {"year": i, "tag": "b"}} for i in range(2, 102)]
assert helpers.bulk(os, rows, refresh=True) == (100, [])
assert os.count(index="books")["count"] == 101
assert len(list(helpers.scan(os, index="books", size=30, query={"query": {"match_all": {}}}))) == 101
pit = os.create_pit(index="books", keep_alive="1m")["pit_id"]
page = os.search(body={"pit": {"id": pit, "keep_alive": "1m"}, "size": 60, "sort": [{"year": "asc"}]})
page = os.search(body={"pit": {"id": pit, "keep_alive": "1m"}, "size": 60, "sort": [{"year": "asc"}], "search_after": page["hits"]["hits"][-1]["sort"]})
assert len(page["hits"]["hits"]) == 41, page
assert os.delete_pit(body={"pit_id": [pit]})["pits"][0]["successful"]
answer = os.transport.perform_request("POST", "/_plugins/_sql", body={"query": "SELECT tag, COUNT(*) AS n FROM books GROUP BY tag ORDER BY tag"})
assert answer["datarows"] == [["a", 1], ["b", 100]], answer
assert os.delete_by_query(index="books", body={"query": {"term": {"tag": "b"}}}, refresh=True)["deleted"] == 100
assert os.indices.delete(index="books")["acknowledged"]
sniffing = opensearchpy.OpenSearch(sys.argv[1].split(",")[:1], sniff_on_start=True)
assert sniffing.info()["version"]["number"] == info["version"]["number"]
print("opensearch-py", opensearchpy.__versionstr__, "on", info["version"]["number"])
