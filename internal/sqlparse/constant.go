package sqlparse

import "strings"

// constants are the statements that ask for a constant, in upper case and one space between tokens. ORMs send them
// when they connect (orm-statements: GORM, ent, xorm).
var constants = map[string]string{
	"SELECT VERSION ( )":            "version",
	"SELECT @@ VERSION":             "version",
	"SHOW VARIABLES LIKE 'VERSION'": "version",
	"SHOW SERVER_VERSION":           "version",
	"SHOW SERVER_VERSION_NUM":       "server_version_num",
	"SELECT CURRENT_DATABASE ( )":   "database",
	"SELECT CURRENT_SCHEMA ( )":     "database",
}

// constantOf returns the constant that the statement asks for, if it asks for one. Elasticsearch answers
// SELECT DATABASE() itself, with the cluster's name.
func constantOf(flavor Flavor, ts tokens) string {
	if ts.len() > 5 {
		return ""
	}
	words := make([]string, ts.len())
	for i := range words {
		words[i] = strings.ToUpper(ts.str(i))
	}
	key := strings.Join(words, " ")
	if key == "SELECT DATABASE ( )" && flavor == OpenSearch {
		return "database"
	}
	return constants[key]
}
