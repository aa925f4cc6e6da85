package fakecluster

// newTable lists every operation; an earlier route wins where two match.
func (c *Cluster) newTable() []route {
	return append([]route{
		on("GET,HEAD", "/", c.root),
		on("GET", "/_nodes", c.nodesInfo),
		on("GET", "/_nodes/{filter}", c.nodesInfo),
		on("GET", "/_nodes/{filter}/{metrics}", c.nodesInfo),
		on("GET", "/_cluster/health", c.health),
		on("GET", "/_cluster/health/{index}", c.health),
		on("GET", "/_cluster/state/nodes", c.stateNodes),
		on("GET", "/_tasks", c.tasks),
		on("GET", "/_tasks/{id}", c.task),
		on("POST", "/_tasks/{id}/_cancel", c.cancelTask),
		on("GET", "/_cat/nodes", c.catNodes),
		on("GET", "/_cat/indices", c.catIndices),
		on("GET", "/_cat/indices/{index}", c.catIndices),
		on("GET", "/_cat/aliases", c.catAliases),
		on("GET", "/_resolve/index/{names}", c.resolveIndex),

		on("PUT,POST", "/{index}/_doc/{id}", c.putDoc),
		on("POST", "/{index}/_doc", c.putDoc),
		on("GET,HEAD", "/{index}/_doc/{id}", c.getDoc),
		on("DELETE", "/{index}/_doc/{id}", c.deleteDoc),
		on("PUT,POST", "/{index}/_create/{id}", c.createDoc),
		on("POST", "/{index}/_update/{id}", c.updateDoc),
		on("GET,HEAD", "/{index}/_source/{id}", c.getSource),
		on("POST,PUT", "/_bulk", c.bulk),
		on("POST,PUT", "/{index}/_bulk", c.bulk),
		on("GET,POST", "/_mget", c.multiGet),
		on("GET,POST", "/{index}/_mget", c.multiGet),

		on("GET,POST", "/_search", c.search),
		on("GET,POST", "/{index}/_search", c.search),
		on("GET,POST", "/_count", c.countDocs),
		on("GET,POST", "/{index}/_count", c.countDocs),
		on("GET,POST", "/_search/scroll", c.scroll),
		on("DELETE", "/_search/scroll", c.closeScroll),
		on("DELETE", "/_search/scroll/{id}", c.closeScroll),
		on("POST", "/{index}/_update_by_query", c.updateByQuery),
		on("POST", "/{index}/_delete_by_query", c.deleteByQuery),

		on("POST,GET", "/_refresh", c.refreshIndices),
		on("POST,GET", "/{index}/_refresh", c.refreshIndices),
		on("POST,GET", "/{index}/_flush", c.refreshIndices),
		on("GET", "/_mapping", c.getMapping),
		on("GET", "/{index}/_mapping", c.getMapping),
		on("PUT,POST", "/{index}/_mapping", c.putMapping),
		on("GET", "/{index}/_settings", c.getSettings),
		on("PUT", "/{index}/_settings", c.putSettings),
		on("POST", "/{index}/_close", c.setClosed(true)),
		on("POST", "/{index}/_open", c.setClosed(false)),
		on("POST", "/_aliases", c.aliases),
		on("GET", "/_alias", c.getAliases),
		on("GET", "/{index}/_alias", c.getAliases),

		on("GET", "/{index}", c.getIndex),
		on("PUT", "/{index}", c.createIndex),
		on("DELETE", "/{index}", c.deleteIndex),
		on("HEAD", "/{index}", c.existsIndex),
	}, c.flavorRoutes()...)
}

// flavorRoutes are the paths of points in time and SQL, which the flavors spell differently.
func (c *Cluster) flavorRoutes() []route {
	if c.cfg.flavor == OpenSearch {
		return []route{
			on("POST", "/{index}/_search/point_in_time", c.openPIT),
			on("DELETE", "/_search/point_in_time", c.closePITs),
			on("POST", "/_plugins/_sql", c.openSQL),
			on("POST", "/_plugins/_sql/close", c.openClose),
		}
	}
	return []route{
		on("POST", "/{index}/_pit", c.openPIT),
		on("DELETE", "/_pit", c.closePIT),
		on("POST,GET", "/_sql", c.elasticSQL),
		on("POST", "/_sql/close", c.elasticClose),
	}
}
