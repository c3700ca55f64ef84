package trace

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// rules are the rules of the format. The writer, the reader and Check apply the same ones: the first two stop
// at the first problem, Check collects.
type rules struct {
	report func(Problem) error // a non-nil result stops
	place  func(table string, row int64) (path string, group int, fileRow int64)

	nodes, queues, users, files int
	lastSubmit                  int64
	lastExec                    Executor // of the row before
	seen                        []int32  // by node: the last task, counted, that prefers it; finds duplicates
	tasks                       int32
}

func (r *rules) bad(table string, row int64, column string, value any, want string, args ...any) error {
	path, group, fileRow := r.place(table, row)
	return r.report(Problem{File: path, Group: group, Row: fileRow, Column: column, Value: show(value), Want: fmt.Sprintf(want, args...)})
}

func show(v any) string {
	if s, ok := v.(string); ok {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprint(v)
}

func (r *rules) id(table string, row int64, column string, v int32, n int) error {
	if v >= 0 && int(v) < n {
		return nil
	}
	return r.bad(table, row, column, v, "a row of its table, which has %d", n)
}

func (r *rules) oneOf(table string, row int64, column, v string, known ...string) error {
	if slices.Contains(known, v) {
		return nil
	}
	return r.bad(table, row, column, v, "one of %s", strings.TrimPrefix(strings.Join(known, ", "), ", "))
}

func (r *rules) extra(table string, row int64, column string, values []NamedValue) error {
	if len(values) > MostExtra {
		return r.bad(table, row, "the number of "+column, len(values), "%d at most", MostExtra)
	}
	for i, v := range values {
		if v.Name == "" || !utf8.ValidString(v.Name) || v.Name == "memory-mb" || v.Name == "vcores" || v.Value < 0 || v.Value > MostAmount ||
			slices.ContainsFunc(values[:i], func(o NamedValue) bool { return o.Name == v.Name }) {
			return r.bad(table, row, column, v, "further resources, each once, with amounts of 0 to %d", int64(MostAmount))
		}
	}
	return nil
}

func (r *rules) weight(table string, row int64, column string, v float64) error {
	if math.IsNaN(v) || v >= 0 && v <= MostWeight {
		return nil
	}
	return r.bad(table, row, column, v, "0 to %g, or null", MostWeight)
}

// firstOf runs checks in order until one asks to stop.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// sizes keeps what the checks of jobs need of the small tables.
func (r *rules) sizes(m *Meta) {
	r.nodes, r.queues, r.users = len(m.Nodes), len(m.Queues), len(m.Users)
	r.seen = make([]int32, len(m.Nodes))
	r.lastExec = Executor{Job: -1}
}

// meta checks the small tables but that of files.
func (r *rules) meta(m *Meta) error {
	r.sizes(m)
	return firstOf(r.nodeRows(m.Nodes), r.eventRows(m.Nodes, m.Events), r.queueRows(m.Queues), r.userRows(m.Users))
}

// sources checks what the manifest in dir says of the origin of the data.
func (r *rules) sources(dir string, m *Meta) error {
	for _, s := range []struct {
		column, value string
		known         []string
	}{
		{"locality_source", m.LocalitySource, []string{LocalityRecorded, LocalityModelled, LocalityObserved, LocalityNone}},
		{"duration_source", m.DurationSource, []string{DurationRecorded, DurationModelled}},
	} {
		if !slices.Contains(s.known, s.value) {
			if err := r.report(wholeFile(filepath.Join(dir, manifestName), s.column, show(s.value), "one of "+strings.Join(s.known, ", "))); err != nil {
				return err
			}
		}
	}
	if err := CheckName(m.Name); m.Name != "" && err != nil {
		return r.report(wholeFile(filepath.Join(dir, manifestName), "name", show(m.Name), err.Error()))
	}
	return nil
}

func (r *rules) dense(table, column string, row int, id int32) error {
	if int(id) == row {
		return nil
	}
	return r.bad(table, int64(row), column, id, "%d, as ids count rows from 0", row)
}

func (r *rules) unique(table, column string, row int, name string, seen map[string]int) error {
	if before, ok := seen[name]; ok {
		return r.bad(table, int64(row), column, name, "another name than row %d", before)
	}
	seen[name] = row
	if name == "" {
		return r.bad(table, int64(row), column, name, "a name")
	}
	return r.text(table, int64(row), column, name)
}

// longestText is how many bytes a text has at most: the header of a page holds two of them, and is read to 64 KiB.
const longestText = 16 << 10

// text checks what people are shown: in JSON two names that are no UTF-8 would be one.
func (r *rules) text(table string, row int64, column, v string) error {
	switch {
	case len(v) > longestText:
		return r.bad(table, row, column, fmt.Sprintf("%.60q… of %d bytes", v, len(v)), "text of at most %d bytes", longestText)
	case !utf8.ValidString(v):
		return r.bad(table, row, column, v, "text in UTF-8")
	}
	return nil
}

func (r *rules) nodeRows(nodes []Node) error {
	hosts := make(map[string]int, len(nodes))
	racks := make(map[int32]string)
	rackIDs := make(map[string]int32)
	for i := range nodes {
		n, row := &nodes[i], int64(i)
		err := firstOf(
			r.dense(tableNodes, "node_id", i, n.ID),
			r.unique(tableNodes, "host", i, n.Host, hosts),
			r.fields(tableNodes, row, nodeFields, int64(n.RackID), n.MemMiB, int64(n.VCores)),
			r.extra(tableNodes, row, "extra", n.Extra),
			r.text(tableNodes, row, "rack", n.Rack),
		)
		if err != nil {
			return err
		}
		if !strings.HasPrefix(n.Rack, "/") {
			if err := r.bad(tableNodes, row, "rack", n.Rack, "a path such as /rack1"); err != nil {
				return err
			}
		}
		name, ok := racks[n.RackID]
		id, ok2 := rackIDs[n.Rack]
		if ok && name != n.Rack || ok2 && id != n.RackID {
			if err := r.bad(tableNodes, row, "rack", n.Rack, "one name for each rack_id (%d) and one id for each name", n.RackID); err != nil {
				return err
			}
		}
		if !ok {
			racks[n.RackID] = n.Rack
		}
		if !ok2 {
			rackIDs[n.Rack] = n.RackID
		}
	}
	return nil
}

func (r *rules) queueRows(queues []Queue) error {
	paths := make(map[string]int, len(queues))
	for i := range queues {
		q, row := &queues[i], int64(i)
		err := firstOf(
			r.dense(tableQueues, "queue_id", i, q.ID),
			r.unique(tableQueues, "path", i, q.Path, paths),
			r.fields(tableQueues, row, queueFields, q.MinMemMiB, q.MaxMemMiB, int64(q.MinVCores), int64(q.MaxVCores), int64(q.MaxApps)),
			r.weight(tableQueues, row, "weight", q.Weight),
			r.policyName(row, q.Policy),
		)
		if err != nil {
			return err
		}
		if !math.IsNaN(q.AMShare) && q.AMShare != NoAMLimit && !(q.AMShare >= 0 && q.AMShare <= math.MaxFloat64) {
			if err := r.bad(tableQueues, row, "am_share", q.AMShare, "a share of 0 or more, %d for no limit, or null", NoAMLimit); err != nil {
				return err
			}
		}
		if q.Path != "root" && !strings.HasPrefix(q.Path, "root.") {
			if err := r.bad(tableQueues, row, "path", q.Path, "a path such as root.a"); err != nil {
				return err
			}
		}
		if q.Parent != Unset && (q.Parent < 0 || int(q.Parent) >= len(queues) || !strings.HasPrefix(q.Path, queues[q.Parent].Path+".")) {
			if err := r.bad(tableQueues, row, "parent_id", q.Parent, "the id of a queue above %s", q.Path); err != nil {
				return err
			}
		}
		if q.MaxMemMiB != Unset && q.MinMemMiB > q.MaxMemMiB || q.MaxVCores != Unset && q.MinVCores > q.MaxVCores {
			if err := r.bad(tableQueues, row, "min_mem_mib", fmt.Sprintf("%d MiB, %d vcores", q.MinMemMiB, q.MinVCores), "no more than the maximum (%d MiB, %d vcores)", q.MaxMemMiB, q.MaxVCores); err != nil {
				return err
			}
		}
	}
	return nil
}

// policyName looks at the form of a name: which policies there are is the scheduler's business.
func (r *rules) policyName(row int64, v string) error {
	if v == "" || policyForm.MatchString(v) {
		return nil
	}
	return r.bad(tableQueues, row, "policy", v, "the name of a sharing policy in lower case, such as fair, or null")
}

var policyForm = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

func (r *rules) userRows(users []User) error {
	names := make(map[string]int, len(users))
	for i, u := range users {
		err := firstOf(
			r.dense(tableUsers, "user_id", i, u.ID),
			r.unique(tableUsers, "name", i, u.Name, names),
			r.weight(tableUsers, int64(i), "weight", u.Weight),
		)
		if err != nil {
			return err
		}
	}
	return nil
}
