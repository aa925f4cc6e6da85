package sampler

// ParseAddress lets the tests at the published addresses alone.
var ParseAddress = parseAddress
