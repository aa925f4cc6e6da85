package enginetest_test

// documentBodies are about what is kept, each in an index of its own.
var documentBodies = []body{
	{"documents", nil, documents},
	{"awkward-ids", nil, awkwardIDs},
	{"creates", nil, creates},
	{"updates", nil, updates},
	{"guarded-writes", nil, guardedWrites},
	{"external-versions", nil, externalVersions},
	{"multi-get", nil, multiGet},

	{"bulk-verdicts", nil, bulkVerdicts},
	{"bulk-refused", nil, bulkRefused},
	{"refresh", nil, refresh},
	{"refresh-wait", nil, refreshWait},
	{"delete-by-query", []capability{byQuery}, deleteByQuery},
	{"update-by-query", []capability{byQuery}, updateByQuery},
	{"scripts", []capability{painless}, scripts},
	{"by-query-scripts", []capability{byQuery, painless}, byQueryScripts},
	{"by-query-conflict", []capability{byQuery}, byQueryConflict},

	{"indices", nil, indices},
	{"aliases", nil, aliases},
	{"mappings", nil, mappings},
	{"dynamic-strict", nil, dynamicStrict},
	{"dynamic-fields", nil, dynamicFields},

	{"queries", nil, queries},
	{"query-options", nil, queryOptions},
	{"sort", nil, sorts},
	{"search-options", nil, searchOptions},
	{"counts", nil, counts},
	{"search-after", nil, searchAfter},
	{"scroll", nil, scroll},
	{"pit-paging", []capability{pointInTime}, pitPaging},
	{"pit-refused", []capability{pointInTime}, pitRefused},

	{"forms", nil, forms},
	{"whole", nil, whole},
	{"closed-index", nil, closedIndex},
	{"blocked-index", nil, blockedIndex},
	{"listings", nil, listings},
	{"health-of-all", nil, healthOfAll},
	{"media", nil, media},
	{"versioned-media", []capability{mediaVersions}, versionedMedia},

	{"missing-index", nil, missingIndex},
	{"bad-queries", nil, badQueries},
	{"bad-requests", nil, badRequests},
}

// clusterBodies are about nodes, and what the client makes of them.
var clusterBodies = []body{
	{"root", nil, root},
	{"nodes", nil, nodes},
	{"state", nil, state},
	{"health", nil, health},
	{"topology", nil, topology},
}
