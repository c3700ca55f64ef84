package trace

import "iter"

// rowsOf reads a table: bind attaches columns and returns the row maker, used after each batch. An error is the last that comes.
func rowsOf[V any](t *table, bind func(*rowReader) func(i int) V) iter.Seq2[V, error] {
	return func(yield func(V, error) bool) {
		r := newRowReader(t, nil)
		defer r.Close()
		row := bind(r)
		for {
			n, err := r.next(writeBatch)
			if err != nil {
				var none V
				yield(none, err)
			}
			if err != nil || n == 0 {
				return
			}
			for i := range n {
				if !yield(row(i), nil) {
					return
				}
			}
		}
	}
}

// readAll reads a whole small table.
func readAll[V any](t *table, bind func(*rowReader) func(i int) V) ([]V, error) {
	all := make([]V, 0, min(t.rows(), maxReserve))
	for v, err := range rowsOf(t, bind) {
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// extraColumns are a list of named amounts.
type extraColumns struct {
	name  *column[string]
	value *column[int64]
}

func bindExtra(r *rowReader, list string) extraColumns {
	return extraColumns{bindString(r, list+".name"), bindInt64(r, list+".value")}
}

func (c extraColumns) list(i int) (values []NamedValue) {
	names, amounts := c.name.List(i), c.value.List(i)
	for k := range min(len(names), len(amounts)) {
		values = append(values, NamedValue{names[k], amounts[k]})
	}
	return values
}

func readNodes(t *table) ([]Node, error) {
	return readAll(t, func(r *rowReader) func(int) Node {
		id, host, rackID, rack := bindInt32(r, "node_id"), bindString(r, "host"), bindInt32(r, "rack_id"), bindString(r, "rack")
		mem, vcores, labels, extra, present := bindInt64(r, "mem_mib"), bindInt32(r, "vcores"), bindString(r, "labels"), bindExtra(r, "extra"), bindBool(r, "present_at_start")
		return func(i int) Node {
			return Node{
				ID: id.V[i], Host: host.V[i], RackID: rackID.V[i], Rack: rack.V[i], MemMiB: mem.V[i], VCores: vcores.V[i],
				Labels: labels.List(i), Extra: extra.list(i), Present: present.V[i],
			}
		}
	})
}

func readEvents(t *table) ([]NodeEvent, error) {
	return readAll(t, func(r *rowReader) func(int) NodeEvent {
		time, seq, node, kind := bindInt64(r, "time_ms"), bindInt32(r, "seq"), bindInt32(r, "node_id"), bindString(r, "kind")
		mem, vcores, timeout, reason, group := bindInt64(r, "mem_mib"), bindInt32(r, "vcores"), bindInt64(r, "drain_timeout_ms"), bindString(r, "reason"), bindInt32(r, "group_id")
		return func(i int) NodeEvent {
			return NodeEvent{
				TimeMS: time.V[i], Seq: seq.V[i], Node: node.V[i], Kind: EventKind(kind.V[i]), MemMiB: mem.V[i], VCores: vcores.V[i],
				DrainTimeoutMS: timeout.V[i], Reason: reason.V[i], Group: group.V[i],
			}
		}
	})
}

func readQueues(t *table) ([]Queue, error) {
	return readAll(t, func(r *rowReader) func(int) Queue {
		id, path, parent, weight := bindInt32(r, "queue_id"), bindString(r, "path"), bindInt32(r, "parent_id"), bindDouble(r, "weight")
		minMem, maxMem, minCPU, maxCPU := bindInt64(r, "min_mem_mib"), bindInt64(r, "max_mem_mib"), bindInt32(r, "min_vcores"), bindInt32(r, "max_vcores")
		apps, share, policy := bindInt32(r, "max_apps"), bindDouble(r, "am_share"), bindString(r, "policy")
		return func(i int) Queue {
			return Queue{
				ID: id.V[i], Path: path.V[i], Parent: parent.V[i], Weight: weight.V[i], MinMemMiB: minMem.V[i], MaxMemMiB: maxMem.V[i],
				MinVCores: minCPU.V[i], MaxVCores: maxCPU.V[i], MaxApps: apps.V[i], AMShare: share.V[i], Policy: policy.V[i],
			}
		}
	})
}

func readUsers(t *table) ([]User, error) {
	return readAll(t, func(r *rowReader) func(int) User {
		id, name, weight := bindInt32(r, "user_id"), bindString(r, "name"), bindDouble(r, "weight")
		return func(i int) User { return User{ID: id.V[i], Name: name.V[i], Weight: weight.V[i]} }
	})
}

func filesOf(t *table) iter.Seq2[File, error] {
	return rowsOf(t, func(r *rowReader) func(int) File {
		id, name, size, block := bindInt32(r, "file_id"), bindString(r, "name"), bindInt64(r, "bytes"), bindInt64(r, "block_bytes")
		blocks, replication := bindInt32(r, "blocks"), bindInt32(r, "replication")
		return func(i int) File {
			return File{ID: id.V[i], Name: name.V[i], Bytes: size.V[i], BlockBytes: block.V[i], Blocks: blocks.V[i], Replication: replication.V[i]}
		}
	})
}

func readExecutors(t *table) ([]Executor, error) {
	return readAll(t, func(r *rowReader) func(int) Executor {
		job, id, node, vcores := bindInt64(r, "job_id"), bindInt32(r, "executor_id"), bindInt32(r, "node_id"), bindInt32(r, "vcores")
		mem, profile, added, removed, reason := bindInt64(r, "mem_mib"), bindInt32(r, "profile"), bindInt64(r, "added_ms"), bindInt64(r, "removed_ms"), bindString(r, "reason")
		return func(i int) Executor {
			return Executor{
				Job: job.V[i], ID: id.V[i], Node: node.V[i], VCores: vcores.V[i], MemMiB: mem.V[i], Profile: orZero(profile.V[i]),
				AddedMS: added.V[i], RemovedMS: removed.V[i], Reason: reason.V[i],
			}
		}
	})
}
