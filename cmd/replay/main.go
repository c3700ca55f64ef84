// Command replay takes traces of Spark-on-YARN clusters through the decisions of YARN's
// schedulers and Spark's allocators, and compares policies.
package main

import (
	"os"
	"runtime"

	"replay/cmd/replay/command"
	"replay/policy"
)

func main() {
	runtime.MemProfileRate = 0 // a profile of the memory is asked for, by a flag that sets it; without one each sample of it would cost the walk of a stack
	os.Exit(command.Main(policy.Tables{}))
}
