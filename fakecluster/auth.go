package fakecluster

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// basic returns the Authorization header of a user and password.
func basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

// userinfo returns the first user and password in the form a URL has, with an @ at its end.
func (c *Cluster) userinfo() string {
	for _, v := range c.cfg.credentials {
		encoded, ok := strings.CutPrefix(v, "Basic ")
		if !ok {
			continue
		}
		plain, _ := base64.StdEncoding.DecodeString(encoded) // made by basic
		user, password, _ := strings.Cut(string(plain), ":")
		return url.UserPassword(user, password).String() + "@"
	}
	return ""
}

// challenges are the WWW-Authenticate headers of Elasticsearch 8.19 with security on.
var challenges = []string{`Basic realm="security", charset="UTF-8"`, `Bearer realm="security"`, "ApiKey"}

// authorize answers 401 to a request without valid credentials, and nil to others.
func (c *Cluster) authorize(r *http.Request) *reply {
	if len(c.cfg.credentials) == 0 || slices.Contains(c.cfg.credentials, r.Header.Get("Authorization")) {
		return nil
	}
	if c.cfg.flavor == OpenSearch {
		h := http.Header{"Content-Type": {"text/plain; charset=UTF-8"}, "Www-Authenticate": {`Basic realm="OpenSearch Security"`}}
		return &reply{status: 401, header: h, body: []byte("Unauthorized")}
	}
	reason := "missing authentication credentials for REST request [" + r.URL.RequestURI() + "]"
	if user, _, ok := r.BasicAuth(); ok {
		reason = "unable to authenticate user [" + user + "] for REST request [" + r.URL.RequestURI() + "]"
	}
	e := errorReply(401, failure("security_exception", reason, "header", object{"WWW-Authenticate", challenges}))
	e.header = http.Header{"Www-Authenticate": slices.Clone(challenges)}
	return e
}
