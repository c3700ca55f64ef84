package protocol

import "fmt"

// Exit statuses of containers.
//
// Source: org.apache.hadoop.yarn.api.records.ContainerExitStatus.
const (
	ExitSuccess           int32 = 0
	ExitInvalid           int32 = -1000
	ExitAborted           int32 = -100 // released by the AM, node lost, application completed, expired
	ExitDisksFailed       int32 = -101
	ExitPreempted         int32 = -102
	ExitKilledVMem        int32 = -103
	ExitKilledPMem        int32 = -104
	ExitKilledByAM        int32 = -105
	ExitKilledByRM        int32 = -106
	ExitKilledAfterApp    int32 = -107
	ExitKilledByScheduler int32 = -108
	ExitExcessLogs        int32 = -109
)

// ExitText says an exit status in words, with its number where the words don't tell it.
//
// Source: org.apache.hadoop.yarn.api.records.ContainerExitStatus.
func ExitText(exit int32) string {
	switch exit {
	case ExitSuccess:
		return "its process ended by itself without unregistering (exit 0)"
	case ExitInvalid:
		return "its container ended without an exit status (exit -1000)"
	case ExitDisksFailed:
		return "the disks of its node failed"
	case ExitPreempted:
		return "it was preempted"
	case ExitKilledVMem:
		return "it was killed for using too much virtual memory"
	case ExitKilledPMem:
		return "it was killed for using too much physical memory"
	case ExitKilledByAM:
		return "the application killed it"
	case ExitKilledByRM:
		return "the ResourceManager killed it"
	case ExitKilledAfterApp:
		return "it was killed after its application had ended"
	case ExitKilledByScheduler:
		return "the scheduler killed it"
	case ExitExcessLogs:
		return "it was killed for the size of its logs"
	}
	if exit > 128 && exit <= 128+64 { // a shell's words for signals 1 to 64
		return fmt.Sprintf("it was killed by a signal (exit %d)", exit)
	}
	return fmt.Sprintf("its process failed (exit %d)", exit)
}
