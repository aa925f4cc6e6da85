module github.com/esdriver/esdriver/examples/custom-balancer

go 1.26

require (
	github.com/esdriver/esdriver v0.0.0
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/jackc/puddle/v2 v2.2.3 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sync v0.1.0 // indirect
)

replace github.com/esdriver/esdriver => ../..
