package fakecluster

import (
	"fmt"
	"mime"
	"strings"
)

// compatibleWith returns the version in a media type such as
// application/vnd.elasticsearch+json;compatible-with=8, or "".
func compatibleWith(header string) string {
	kind, params, err := mime.ParseMediaType(header)
	if err != nil || !strings.HasPrefix(kind, "application/vnd.elasticsearch+") {
		return ""
	}
	return params["compatible-with"]
}

// checkMedia refuses what the servers refuse: a body without a type they know (406), and on
// Elasticsearch 8 and later a version in the media type that is neither theirs nor the one before.
func (c *Cluster) checkMedia(x *exchange) *reply {
	if c.cfg.flavor == Elasticsearch && c.release.atLeast(8, 0) {
		for _, name := range []string{"Content-Type", "Accept"} {
			if r := c.checkVersion(name, x.r.Header.Get(name)); r != nil {
				return r
			}
		}
	}
	kind := x.r.Header.Get("Content-Type")
	if len(x.body) == 0 || knownMedia(kind) {
		return nil
	}
	reason := fmt.Sprintf("Content-Type header [%s] is not supported", kind)
	return jsonReply(406, object{"error", reason, "status", 406})
}

func knownMedia(header string) bool {
	kind, _, err := mime.ParseMediaType(header)
	if err != nil {
		return false
	}
	switch kind {
	case "application/json", "application/x-ndjson",
		"application/vnd.elasticsearch+json", "application/vnd.elasticsearch+x-ndjson":
		return true
	}
	return false
}

func (c *Cluster) checkVersion(name, header string) *reply {
	v := compatibleWith(header)
	major := c.release[0]
	if v == "" || c.compatible(v) {
		return nil
	}
	cause := failure("status_exception", fmt.Sprintf("%s version must be either version %d or %d, but found %s. %s=%s",
		name, major, major-1, v, name, header))
	return errorReplyCaused(400, failure("media_type_header_exception",
		"Invalid media-type value on headers [Content-Type, Accept]"), cause)
}

// compatible reports whether a version in a media type is the server's or the one before.
func (c *Cluster) compatible(v string) bool {
	return v == fmt.Sprint(c.release[0]) || v == fmt.Sprint(c.release[0]-1)
}
