// Package azure imports the traces of the Azure Public Dataset: virtual machines of 2017 and 2019, and those of the packing trace of 2020.
package azure

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"replay/counted"
	"replay/trace"
	"replay/trace/importer/containers"
	"replay/trace/importer/delimited"
	"replay/trace/importer/rows"
	"replay/trace/importer/workload"
)

// VM is the format of the traces of virtual machines, versions 1 and 2.
var VM = workload.Format{
	Usage:   "Azure Public Dataset, virtual machines (vmtable), versions 1 and 2",
	NoHosts: true,
	Detect:  detectVM,
	Read:    readVM,
}

var vmTable = rows.Table{
	Name: "vmtable", Least: 11, Number: 3,
	Columns: []string{"vm id", "subscription id", "deployment id", "vm created", "vm deleted", "max cpu", "avg cpu", "p95 max cpu", "vm category", "vm virtual core count", "vm memory (gb)"},
	Also: map[string][]string{ // the names that the publishers' notebooks give them, of version 2 with buckets
		"vm id": {"vmid"}, "subscription id": {"subscriptionid"}, "deployment id": {"deploymentid"}, "vm created": {"vmcreated"}, "vm deleted": {"vmdeleted"},
		"max cpu": {"maxcpu"}, "avg cpu": {"avgcpu"}, "p95 max cpu": {"p95maxcpu"}, "vm category": {"vmcategory"},
		"vm virtual core count": {"vmcorecount", "vmcorecountbucket", "vm virtual core count bucket"}, "vm memory (gb)": {"vmmemory", "vmmemorybucket", "vm memory (gb) bucket"},
	},
}

// endS is the end of the traces of 30 days, whose last reading is this old. What was there then is said to be deleted then.
const endS = 2_591_700

func readVM(ctx context.Context, inputs []string, b *workload.Builder) error {
	files, err := rows.Find(b, inputs, []*rows.Table{&vmTable}, []string{"vm_cpu_readings", "subscriptions", "deployments"})
	if err != nil {
		return err
	}
	b.NoEpoch = true
	seen := map[given]struct{}{}
	return vmTable.Read(ctx, b, files[vmTable.Name], func(r *delimited.Row) error {
		b.Begin()
		const latest = 1 << 40
		name, created, deleted := r.Name(0), r.Int(3, 0, latest), r.Int(4, 0, latest)
		size := containers.Size{MilliVCores: containers.Milli(bucket(b, r, 9, trace.MostVCores)), MemMiB: containers.MiB(bucket(b, r, 10, trace.MostMemMiB/1024), 1024)}
		if deleted < created || deleted-created > trace.LongestMS/1000 {
			r.Bad(4, fmt.Sprintf("vm created (%d) or more, within a year", created))
		}
		if r.Err() != nil {
			return r.Err()
		}
		is := given{idSum(name), created, deleted}
		if _, again := seen[is]; again {
			return b.Drop("virtual_machines_given_twice", "%s: line %d: virtual machine %.80s from %d to %d is there already", r.File, r.Line, name, created, deleted)
		}
		seen[is] = struct{}{}
		outcome := "success"
		if deleted >= endS {
			outcome = "censored"
		}
		return add(b, vm{id: name, user: r.Text(1), name: r.Text(2), queue: strings.ToLower(r.Text(8)), fromMS: 1000 * created, toMS: 1000 * deleted, outcome: outcome, size: size})
	})
}

// given is a virtual machine of the table, by a sum of its id: ids are long, and there are millions.
type given struct {
	id               [16]byte
	created, deleted int64
}

func idSum(id string) (sum [16]byte) {
	h := fnv.New128a()
	h.Write([]byte(id))
	h.Sum(sum[:0])
	return sum
}

// bucket reads a number, or the bucket of the largest ones, such as >24, of which it takes the number.
func bucket(b *workload.Builder, r *delimited.Row, i int, most float64) float64 {
	text, open := bytes.CutPrefix(r.Bytes(i), []byte(">"))
	if !open {
		return r.Float(i, 0, most)
	}
	b.Counts.Modelled["sizes_of_the_bucket_of_the_largest"]++
	one := delimited.Row{File: r.File, Line: r.Line, Columns: r.Columns[i : i+1], Fields: [][]byte{text}}
	v := one.Float(0, 0, most)
	if one.Err() != nil {
		r.Bad(i, "a number, or one with > before it")
	}
	return v
}

// vm is a virtual machine. Times are ms.
type vm struct {
	id, user, name, queue string
	fromMS, toMS          int64
	outcome               string
	priority              int32
	size                  containers.Size
}

// add makes a job with one task of a virtual machine.
func add(b *workload.Builder, v vm) error {
	j := containers.New(b, trace.KindGeneric, v.id, v.fromMS)
	defer j.Done()
	a := j.App
	a.User, a.Queue, a.Job.Name, a.Job.Priority = v.user, strings.ReplaceAll(v.queue, ".", "_"), v.name, v.priority
	a.Job.RecordedStartMS, a.Job.RecordedFinishMS, a.Job.RecordedOutcome = v.fromMS, v.toMS, v.outcome
	if err := j.Add("", v.size, trace.Unset, 1, containers.Task{DurationMS: v.toMS - v.fromMS, WaitMS: trace.Unset}); err != nil {
		return err
	}
	app, err := j.Finish(b)
	if err != nil {
		return err
	}
	_, err = b.Add(app)
	return err
}

// detectVM knows the table by its fields.
func detectVM(name string, head []byte) string {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	if how := vmTable.Seen(name, head); how != "" {
		return how
	}
	if len(delimited.First(head)) == len(vmTable.Columns) && (bytes.Contains(line, []byte("Delay-insensitive")) || bytes.Contains(line, []byte("Interactive"))) {
		return "11 fields, those of vmtable"
	}
	return ""
}

// Packing is the format of the packing trace, whose tables come as CSV.
var Packing = workload.Format{
	Usage:   "Azure Public Dataset, packing trace of 2020: its tables vm and vmType as CSV",
	NoHosts: true,
	Params: append(slices.Clone(rows.Machine), workload.Param{
		Name: "machine", Usage: "the `MACHINE` (machineId of vmType) of which the cluster consists (default: the one that the most types of virtual machines have a size on)",
	}, rows.KeepCensored),
	Detect: detectPacking,
	Read:   readPacking,
}

var (
	vmType = rows.Table{Name: "vmtype", Header: true, Columns: []string{"vmTypeId", "machineId", "core", "memory"}}
	vmRows = rows.Table{Name: "vm", Header: true, Columns: []string{"vmId", "tenantId", "vmTypeId", "priority", "starttime", "endtime"}, Absent: []string{"tenantId", "priority"}}
)

// packingDays is how long the packing trace goes.
const packingDays = 14

const dayMS = 24 * 3600_000

func readPacking(ctx context.Context, inputs []string, b *workload.Builder) error {
	if err := refuseSQLite(inputs); err != nil {
		return err
	}
	files, err := rows.Find(b, inputs, []*rows.Table{&vmType, &vmRows}, nil)
	if err != nil {
		return err
	}
	if len(files[vmType.Name]) == 0 || len(files[vmRows.Name]) == 0 {
		return errors.New("want two tables among the inputs, vmType and vm")
	}
	memMiB, vcores, err := rows.MachineSize(b, 256<<10, 64)
	if err != nil {
		return err
	}
	keep, err := b.ParamBool("keep-censored")
	if err != nil {
		return err
	}
	b.NoEpoch = true
	b.Options.NodeMemMiB, b.Options.NodeVCores = cmp.Or(b.Options.NodeMemMiB, memMiB), cmp.Or(b.Options.NodeVCores, vcores)
	sizes := map[string]map[string]containers.Size{} // machine -> type
	if err := vmType.Read(ctx, b, files[vmType.Name], func(r *delimited.Row) error {
		kind, machine := r.Name(0), r.Name(1)
		s := containers.Size{MilliVCores: containers.Milli(r.Float(2, 0, 1) * float64(vcores)), MemMiB: containers.MiB(r.Float(3, 0, 1), memMiB)}
		if r.Err() == nil {
			if sizes[machine] == nil {
				sizes[machine] = map[string]containers.Size{}
			}
			sizes[machine][kind] = s
		}
		return r.Err()
	}); err != nil {
		return err
	}
	machine, err := chosen(b, sizes)
	if err != nil {
		return err
	}
	return vmRows.Read(ctx, b, files[vmRows.Name], func(r *delimited.Row) error {
		b.Begin()
		from, to := r.Float(4, -10_000, 10_000), r.FloatOr(5, math.NaN(), -10_000, 10_000)
		v := vm{id: r.Name(0), user: r.Text(1), priority: int32(r.IntOr(3, 0, 0, 1<<20)), outcome: "success"}
		size, ok := sizes[machine][r.Text(2)]
		switch {
		case r.Err() != nil:
			return r.Err()
		case !ok:
			b.Counts.Dropped["virtual_machines_of_types_that_the_machine_does_not_run"]++
			return nil
		case math.IsNaN(to) && !keep:
			b.Counts.Dropped["virtual_machines_that_still_ran_at_the_end"]++
			return nil
		case math.IsNaN(to):
			to, v.outcome = max(packingDays, from), "censored"
			b.Counts.Modelled["durations_of_virtual_machines_that_still_ran_at_the_end"]++
		}
		if from < 0 {
			from = 0
			b.Counts.Modelled["starts_of_virtual_machines_that_ran_before_the_trace"]++
		}
		if to < from || to-from > 366 {
			return r.Bad(5, "starttime or more, within a year, and after 0")
		}
		v.size, v.fromMS, v.toMS = size, int64(math.Round(from*dayMS)), int64(math.Round(to*dayMS))
		return add(b, v)
	})
}

// chosen is the machine of the cluster: the one that is given, else the one that the most types have a size on, of several such the first by name.
func chosen(b *workload.Builder, sizes map[string]map[string]containers.Size) (string, error) {
	var names []string
	for m := range sizes {
		names = append(names, m)
	}
	slices.SortFunc(names, workload.Natural)
	if given := b.Param("machine"); given != "" {
		if sizes[given] == nil {
			return "", b.ParamError("machine", "one of "+strings.Join(names, ", "))
		}
		return given, nil
	}
	best := ""
	for _, m := range names {
		if best == "" || len(sizes[m]) > len(sizes[best]) {
			best = m
		}
	}
	b.Note("the cluster is of machines %s, of which the sizes of %s are known (--machine)", best, counted.Of(int64(len(sizes[best])), "types of virtual machines"))
	return best, nil
}

// refuseSQLite tells how to make tables of the database that the packing trace comes as.
func refuseSQLite(inputs []string) error {
	list, err := workload.List(inputs, nil)
	if err != nil {
		return err
	}
	for _, f := range list.Files {
		if f == workload.Stdin {
			continue
		}
		head, err := workload.Head(f)
		if err == nil && bytes.HasPrefix(head, sqlite) {
			return fmt.Errorf("%s: is an SQLite database, want its tables as CSV: sqlite3 -header -csv %[1]s 'select * from vmType' > vmType.csv; sqlite3 -header -csv %[1]s 'select * from vm' > vm.csv", f)
		}
	}
	return nil
}

var sqlite = []byte("SQLite format 3\x00")

// detectPacking knows the tables by their headers, and the database that they come in.
func detectPacking(_ string, head []byte) string {
	line, _, _ := strings.Cut(string(head), "\n")
	switch {
	case bytes.HasPrefix(head, sqlite):
		return "an SQLite database"
	case strings.Contains(line, "vmTypeId") && (strings.Contains(line, "machineId") || strings.Contains(line, "starttime")):
		return "a header with vmTypeId"
	}
	return ""
}
