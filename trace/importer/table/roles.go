package table

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"replay/trace/importer/workload"
)

// role is what a column says.
type role int

const (
	roleJob role = iota
	roleSubmit
	roleStart
	roleEnd
	roleDuration
	roleTasks
	roleVCores
	roleMemory
	roleGPU
	roleUser
	roleQueue
	rolePriority
	roleStage
	roleParents
	roleHost
	roleName
	roleStatus
	roles
)

// known are the names of roles, and those of columns by which they are known without a map: in lower case, without what stands between words and
// without a unit at the end. The first that a table has counts.
var known = [roles]struct {
	name    string
	of      quantity
	columns []string
}{
	roleJob:      {"job", text, []string{"job", "jobid", "jobidraw", "jobnumber", "appid", "applicationid", "application", "app", "workflowid", "id"}},
	roleSubmit:   {"submit", instant, []string{"submit", "submitted", "submittime", "submittimestamp", "submitts", "tssubmit", "submittedat", "submissiontime", "submission", "arrival", "arrivaltime", "arrived", "queued", "queuedat", "enqueuetime", "created", "createdat", "createtime", "createdtime", "creationtime", "creationtimestamp", "gmtcreate", "submittedtime"}},
	roleStart:    {"start", instant, []string{"start", "started", "starttime", "starttimestamp", "startts", "tsstart", "startedat", "begin", "begintime", "launchtime", "launched", "scheduledtime", "startedtime", "startdate", "startingtime"}},
	roleEnd:      {"end", instant, []string{"end", "ended", "endtime", "endtimestamp", "endts", "tsend", "endedat", "finish", "finished", "finishtime", "finishedat", "finishts", "stop", "stoptime", "stopped", "completed", "completedat", "completiontime", "completedtime", "finishedtime", "deletiontime", "enddate"}},
	roleDuration: {"duration", span, []string{"duration", "runtime", "elapsed", "elapsedtime", "run", "servicetime", "walltime", "executiontime", "elapsedraw", "exectime", "runningtime", "taskduration", "taskruntime"}},
	roleTasks:    {"tasks", count, []string{"tasks", "numtasks", "ntasks", "taskcount", "taskscount", "instances", "numinstances", "instancenum", "instancecount", "tasksrequested", "requestedtasks", "count"}},
	roleVCores:   {"vcores", cores, []string{"vcores", "vcore", "cores", "core", "cpus", "cpu", "ncpus", "numcpus", "cpunum", "cpucount", "corecount", "numcores", "reqcpus", "alloccpus", "cpurequest", "requestedcpus", "nprocs", "numprocs", "procs", "processors"}},
	roleMemory:   {"memory", memory, []string{"memory", "mem", "ram", "reqmem", "memoryrequest", "requestedmemory", "memrequest"}},
	roleGPU:      {"gpu", count, []string{"gpu", "gpus", "ngpus", "numgpus", "gpunum", "gpucount", "gpurequest", "requestedgpus", "alloctres", "reqtres"}},
	roleUser:     {"user", text, []string{"user", "username", "userid", "uid", "owner", "userhash"}},
	roleQueue:    {"queue", text, []string{"queue", "queuename", "pool", "partition", "vc", "tenant"}},
	rolePriority: {"priority", count, []string{"priority", "prio"}},
	roleStage:    {"stage", text, []string{"stage", "stageid", "stagename", "tasktype", "taskname"}},
	roleParents:  {"parents", text, []string{"parents", "parent", "dependencies", "dependson", "deps"}},
	roleHost:     {"host", text, []string{"host", "hostname", "node", "nodename", "machine", "machineid", "worker"}},
	roleName:     {"name", text, []string{"name", "jobname", "appname", "applicationname"}},
	roleStatus:   {"status", text, []string{"finalstatus", "finalstate", "status", "state", "outcome", "result", "jobstate", "jobstatus"}},
}

func (r role) String() string { return known[r].name }

// roleNames lists the roles for messages.
func roleNames() string {
	var names []string
	for _, k := range known {
		names = append(names, k.name)
	}
	return strings.Join(names, ", ")
}

// binding is a column that has a role.
type binding struct {
	at   int // -1 = the table has none
	name string
	unit *unit // as stated by the map, the type of the column or its name; nil = not stated
	how  string
}

// words splits the name of a column where its writing does: at what is no letter or digit, and before capitals.
func words(column string) (list []string) {
	var word []rune
	end := func() {
		if len(word) > 0 {
			list = append(list, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	before := ' '
	for _, c := range column {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			end()
		case unicode.IsUpper(c) && unicode.IsLower(before):
			end()
			word = append(word, c)
		default:
			word = append(word, c)
		}
		before = c
	}
	end()
	return list
}

// guess gives each role the first column that is known to have it. The last word of a column's name may be a unit.
func guess(columns []string) (found [roles]binding) {
	plain := map[string]int{}
	type stated struct {
		at   int
		unit string
	}
	withUnit, table := map[string]stated{}, qualifier(columns)
	for i := len(columns) - 1; i >= 0; i-- {
		w := words(strings.TrimPrefix(columns[i], table))
		plain[strings.Join(w, "")] = i
		if n := len(w) - 1; n > 0 {
			withUnit[strings.Join(w[:n], "")] = stated{i, w[n]}
		}
	}
	taken := map[int]bool{}
	for r := range roles {
		found[r].at = -1
		for _, name := range known[r].columns {
			at, ok := plain[name]
			var u *unit
			if !ok || taken[at] {
				var s stated
				if s, ok = withUnit[name]; ok {
					u = known[r].of.unit(s.unit)
					at, ok = s.at, u != nil
				}
			}
			if ok && !taken[at] {
				taken[at] = true
				found[r] = binding{at: at, name: columns[at], unit: u, how: "its name"}
				break
			}
		}
	}
	return found
}

// qualifier is the name of a table with a point that all columns have before their own names, as Hive prints them; "" = none.
func qualifier(columns []string) string {
	table, _, found := strings.Cut(columns[0], ".")
	if table += "."; !found || slices.ContainsFunc(columns, func(c string) bool { return !strings.HasPrefix(c, table) }) {
		return ""
	}
	return table
}

// parseMap reads "submit=start_ts,duration=run_s:s". A column that the table does not have, and a role that there is not, are errors that list those
// that there are.
func parseMap(text string, columns []string) (found [roles]binding, err error) {
	for r := range found {
		found[r].at = -1
	}
	for _, part := range strings.Split(text, ",") {
		name, column, ok := strings.Cut(part, "=")
		name, column = strings.TrimSpace(name), strings.TrimSpace(column)
		if !ok || column == "" {
			return found, workload.WrongFlag("--map has %q, want ROLE=COLUMN or ROLE=COLUMN:UNIT with a comma between them", part)
		}
		r := role(slices.IndexFunc(known[:], func(k struct {
			name    string
			of      quantity
			columns []string
		}) bool {
			return k.name == name
		}))
		if r < 0 {
			return found, workload.WrongFlag("--map has the role %q, want one of %s", name, roleNames())
		}
		if found[r].at >= 0 {
			return found, workload.WrongFlag("--map has %s twice", name)
		}
		if found[r], err = columnOf(r, column, columns); err != nil {
			return found, err
		}
	}
	return found, nil
}

// columnOf finds a column by its name, after which a unit may stand.
func columnOf(r role, text string, columns []string) (binding, error) {
	if at := find(columns, text); at >= 0 {
		return binding{at: at, name: columns[at], unit: unitInName(r, columns[at]), how: "--map"}, nil
	}
	name, unitName := text, ""
	if i := strings.LastIndexByte(text, ':'); i > 0 {
		name, unitName = text[:i], text[i+1:]
	}
	at := find(columns, name)
	if at < 0 {
		return binding{}, workload.WrongFlag("--map has the column %q for %s, want one of %s", text, r, strings.Join(columns, ", "))
	}
	u := known[r].of.unit(unitName)
	if u == nil {
		return binding{}, workload.WrongFlag("--map has %q as the unit of %s, want %s", unitName, r, cmp.Or(known[r].of.units(), "none"))
	}
	return binding{at: at, name: columns[at], unit: u, how: "--map"}, nil
}

// find is the place of a column by its name, or by its name in other letters if only one is like that; -1 = none.
func find(columns []string, name string) int {
	if at := slices.Index(columns, name); at >= 0 {
		return at
	}
	at := -1
	for i, c := range columns {
		if strings.EqualFold(strings.TrimSpace(c), name) {
			if at >= 0 {
				return -1
			}
			at = i
		}
	}
	return at
}

// unitInName is the unit at the end of a column's name, or nil.
func unitInName(r role, column string) *unit {
	if w := words(column); len(w) > 1 {
		return known[r].of.unit(w[len(w)-1])
	}
	return nil
}
