package measure

import (
	"bytes"
	"os"
	"strconv"
)

// resetPeak makes the system forget the largest resident memory of the process so far.
//
// Source: proc_pid_clear_refs(5), which only Linux has; elsewhere nothing happens.
func resetPeak() {
	if f, err := os.OpenFile("/proc/self/clear_refs", os.O_WRONLY, 0); err == nil {
		_, _ = f.WriteString("5\n") // without effect the peak is that of the process, and no less
		_ = f.Close()
	}
}

// peak is that of this process since [resetPeak].
func peak() int64 { return Peak("self") }

// Peak is the largest resident memory so far of a process, its number or self, in bytes; 0 where the system does not tell.
//
// Source: proc_pid_status(5), VmHWM.
func Peak(process string) int64 {
	status, err := os.ReadFile("/proc/" + process + "/status")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kib, err := strconv.ParseInt(string(fields[0]), 10, 64)
	if err != nil {
		return 0
	}
	return kib << 10
}
