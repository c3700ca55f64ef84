// Package cases holds the workloads of benchmarks as data, shared by the tests and by replay bench.
package cases

import "fmt"

// hostName is the name of node i.
func hostName(i int) string { return fmt.Sprintf("node%d", i) }
