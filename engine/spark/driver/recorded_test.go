package driver

import (
	"testing"

	"replay/engine/spark"
)

// What the text of an ExecutorRemoved event means for the tasks that ran there.
func TestLossOfReason(t *testing.T) {
	for reason, want := range map[string]spark.Loss{
		"Executor killed by driver.":                      {Kind: spark.LossKilled},
		"Executor decommission: worker decommissioned":    {Kind: spark.LossDecommissioned},
		"Container container_1 on host: h was preempted.": {Kind: spark.LossExited},
		"Container marked as failed: c on host: h. Exit status: -100. Diagnostics: Container released on a *lost* node.": {Kind: spark.LossExited},
		"Command exited with code 52":                               {Kind: spark.LossExited, ByApp: true},
		"worker lost: Not receiving heartbeat for 60 seconds":       {Kind: spark.LossProcess, Worker: true},
		"Executor heartbeat timed out after 125000 ms":              {Kind: spark.LossProcess, ByApp: true},
		"Remote RPC client disassociated. Likely due to containers": {Kind: spark.LossProcess, ByApp: true},
	} {
		if got := lossOfReason(reason); got != want {
			t.Errorf("%q is %+v, want %+v", reason, got, want)
		}
	}
}
