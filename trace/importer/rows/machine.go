package rows

import (
	"fmt"

	"replay/trace"
	"replay/trace/importer/workload"
)

// Machine are the options that say what the machine has by which a trace counts, where it has shares alone.
var Machine = []workload.Param{
	{Name: "machine-mem", Usage: "memory of the machine by which the trace counts memory, a `SIZE` (default: alibaba-2017 and azure-packing 256GiB, alibaba-2018 512GiB, google-2011 128GiB, google-2019 768GiB)"},
	{Name: "machine-vcores", Usage: "vcores of the machine by which the trace counts them, and of machines of which it does not say (default: alibaba-2017 and azure-packing 64, alibaba-2018 96, google-2011 32, google-2019 96)"},
}

// KeepCensored says whether what still ran when the trace ended is kept.
var KeepCensored = workload.Param{Name: "keep-censored", Default: "false", Usage: "keep what still ran when the trace ended, for as long as it is known to have run"}

// MachineSize are the values of [Machine], those that are given in place of others. Nodes that are made up are such machines.
func MachineSize(b *workload.Builder, otherMiB int64, otherVCores int32) (memMiB int64, vcores int32, err error) {
	if b.Param("machine-mem") != "" {
		n, err := b.ParamBytes("machine-mem")
		if err == nil && (n < 1<<20 || n>>20 > trace.MostMemMiB) {
			err = b.ParamError("machine-mem", "1MiB to 128TiB")
		}
		if err != nil {
			return 0, 0, err
		}
		otherMiB = n >> 20
	}
	if b.Param("machine-vcores") != "" {
		n, err := b.ParamInt("machine-vcores", 1)
		if err == nil && n > trace.MostVCores {
			err = b.ParamError("machine-vcores", fmt.Sprintf("at most %d", trace.MostVCores))
		}
		if err != nil {
			return 0, 0, err
		}
		otherVCores = int32(n)
	}
	b.Machine(otherMiB, otherVCores)
	return otherMiB, otherVCores, nil
}
