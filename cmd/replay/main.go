// Command replay takes traces of Spark-on-YARN clusters through the decisions of YARN's
// schedulers and Spark's allocators, and compares policies.
package main

import (
	"os"

	"replay/cmd/replay/command"
	"replay/policy"
)

func main() { os.Exit(command.Main(policy.Tables{})) }
