package eventlog

import (
	"fmt"

	"replay/trace"
	"replay/trace/importer/jsontext"
)

func (p *eventParser) jobStart(v jsontext.Value, app appEvents) {
	j := jobStart{at: absent, id: -1}
	p.visit("", v, func(key []byte, v jsontext.Value) {
		switch string(key) {
		case "Event":
		case "Job ID":
			j.id = p.int32("Job ID", v)
		case "Submission Time":
			j.at = p.time("Submission Time", v)
		case "Stage IDs":
			j.stageIDs = p.ints("Stage IDs", v)
		case "Stage Infos":
			j.stages = nil
			for v := range p.array("Stage Infos", v) {
				j.stages = append(j.stages, p.stageInfo(v))
			}
		case "Properties":
			p.visit("Properties", v, func(key []byte, v jsontext.Value) {
				switch string(key) {
				case "spark.scheduler.pool":
					j.pool = p.text("spark.scheduler.pool", v)
				case "spark.jobGroup.id":
					j.group = p.text("spark.jobGroup.id", v)
				case "spark.sql.execution.id":
					j.execution = p.text("spark.sql.execution.id", v)
				}
			})
		default:
			p.unknown("", key)
		}
	})
	p.need("Submission Time", j.at)
	if j.id < 0 {
		p.need("Job ID", absent)
	}
	if p.err == nil {
		app.onJobStart(j)
	}
}

func (p *eventParser) jobEnd(v jsontext.Value, app appEvents) {
	id, at, ok := int64(absent), int64(absent), false
	p.visit("", v, func(key []byte, v jsontext.Value) {
		switch string(key) {
		case "Event":
		case "Job ID":
			id = int64(p.int32("Job ID", v))
		case "Completion Time":
			at = p.time("Completion Time", v)
		case "Job Result":
			p.visit("Job Result", v, func(key []byte, v jsontext.Value) {
				if string(key) == "Result" {
					ok = p.text("Result", v) == "JobSucceeded"
				}
			})
		default:
			p.unknown("", key)
		}
	})
	p.need("Job ID", id)
	p.need("Completion Time", at)
	if p.err == nil {
		app.onJobEnd(int32(id), at, ok)
	}
}

// stageInfo reads a Stage Info object.
func (p *eventParser) stageInfo(v jsontext.Value) *stageInfo {
	s := &stageInfo{id: -1, attempt: -1, tasks: -1, submitted: absent, completed: absent}
	p.visit("Stage Info", v, func(key []byte, v jsontext.Value) {
		switch string(key) {
		case "Details", "Accumulables", "Shuffle Push Enabled", "Shuffle Push Mergers Count":
		case "Stage ID":
			s.id = p.int32("Stage ID", v)
		case "Stage Attempt ID":
			s.attempt = p.int32("Stage Attempt ID", v)
		case "Stage Name":
			s.name = p.text("Stage Name", v)
		case "Number of Tasks":
			s.tasks = p.int32("Number of Tasks", v)
		case "RDD Info":
			s.rdds = nil
			for v := range p.array("RDD Info", v) {
				s.rdds = append(s.rdds, p.rddInfo(v))
			}
		case "Parent IDs":
			s.parents = p.ints("Parent IDs", v)
		case "Submission Time":
			s.submitted = p.time("Submission Time", v)
		case "Completion Time":
			s.completed = p.time("Completion Time", v)
		case "Failure Reason":
			s.failure = p.text("Failure Reason", v)
		case "Resource Profile Id":
			s.profile = p.int32("Resource Profile Id", v)
		default:
			p.unknown("/Stage Info", key)
		}
	})
	if s.id < 0 || s.attempt < 0 || s.tasks < 0 {
		p.need("Stage Info/Stage ID, Stage Attempt ID, Number of Tasks", absent)
	}
	return s
}

func (p *eventParser) rddInfo(v jsontext.Value) rddInfo {
	r := rddInfo{id: -1, partitions: -1}
	p.visit("RDD Info", v, func(key []byte, v jsontext.Value) {
		switch string(key) {
		// The number of cached partitions is that of the moment the information object was made,
		// which is 0 in every log: it says nothing.
		case "Scope", "Callsite", "DeterministicLevel", "Number of Cached Partitions", "Memory Size", "Disk Size", "ExternalBlockStore Size":
		case "RDD ID":
			r.id = p.int32("RDD ID", v)
		case "Name":
			r.name = p.text("Name", v)
		case "Parent IDs":
			r.parents = p.ints("Parent IDs", v)
		case "Number of Partitions":
			r.partitions = p.int32("Number of Partitions", v)
		case "Barrier":
			r.barrier = p.bool("Barrier", v)
		case "Storage Level":
			p.visit("Storage Level", v, func(key []byte, v jsontext.Value) {
				switch string(key) {
				case "Use Disk":
					r.stored = r.stored || p.bool("Use Disk", v)
				case "Use Memory":
					r.stored = r.stored || p.bool("Use Memory", v)
				}
			})
		default:
			p.unknown("/RDD Info", key)
		}
	})
	if r.id < 0 {
		p.need("RDD Info/RDD ID", absent)
	}
	return r
}

func (p *eventParser) stageEvent(v jsontext.Value) *stageInfo {
	var s *stageInfo
	p.visit("", v, func(key []byte, v jsontext.Value) {
		switch string(key) {
		case "Event", "Properties":
		case "Stage Info":
			s = p.stageInfo(v)
		default:
			p.unknown("", key)
		}
	})
	if s == nil {
		p.need("Stage Info", absent)
	}
	return s
}

func (p *eventParser) stageSubmitted(v jsontext.Value, app appEvents) {
	if s := p.stageEvent(v); p.err == nil {
		app.onStageSubmitted(s)
	}
}

func (p *eventParser) stageCompleted(v jsontext.Value, app appEvents) {
	if s := p.stageEvent(v); p.err == nil {
		app.onStageCompleted(s)
	}
}

func (p *eventParser) taskStart(v jsontext.Value, app appEvents) {
	stage, attempt, t := p.task(v)
	if p.err == nil {
		app.onTaskStart(stage, attempt, t)
	}
}

func (p *eventParser) taskEnd(v jsontext.Value, app appEvents) {
	stage, attempt, t := p.task(v)
	p.need("Task Info/Finish Time", t.finish)
	if len(t.reason) == 0 {
		p.need("Task End Reason/Reason", absent)
	}
	if p.err == nil && t.finish-t.launch > trace.LongestMS {
		p.err = fmt.Errorf("%s: field \"Finish Time\" is %d, want at most a year after %d, the launch", p.event, t.finish, t.launch)
	}
	if p.err == nil && t.finish < t.launch { // a clock was set back
		if string(t.reason) == "Success" && !t.hasMetrics {
			p.err = fmt.Errorf("%s: field \"Finish Time\" is %d, want %d, the launch, or later", p.event, t.finish, t.launch)
			return
		}
		p.odd[p.event+"/Task Info/Finish Time before Launch Time"]++
		t.finish = t.launch + t.worked()
	}
	if p.err == nil && len(t.host) == 0 {
		p.odd[p.event+"/Task Info/Host"]++
	}
	if p.err == nil && t.worked() > t.finish-t.launch+setClockMS {
		p.odd[p.event+"/Task Metrics/Executor Run Time beyond Finish Time"]++
		t.hasMetrics, t.runMS, t.deserializeMS, t.resultMS = false, absent, absent, absent
	}
	if p.err == nil {
		app.onTaskEnd(stage, attempt, t)
	}
}

// task reads TaskStart and TaskEnd. The task is good until the next line.
func (p *eventParser) task(v jsontext.Value) (stage, attempt int32, t *taskInfo) {
	stage, attempt, t = -1, -1, &p.reading
	*t = taskInfo{
		id: absent, index: -1, partition: -1, launch: absent, finish: absent, executor: -1, from: -1,
		runMS: absent, deserializeMS: absent, resultMS: absent, inputBytes: absent, shuffleRead: absent, shuffleWrite: absent,
	}
	p.visit("", v, func(key []byte, v jsontext.Value) {
		switch string(key) {
		case "Event", "Task Executor Metrics":
		case "Stage ID":
			stage = p.int32("Stage ID", v)
		case "Stage Attempt ID":
			attempt = p.int32("Stage Attempt ID", v)
		case "Task Type":
			t.result = string(v.Bytes()) == "ResultTask"
		case "Task End Reason":
			p.visit("Task End Reason", v, func(key []byte, v jsontext.Value) {
				switch string(key) {
				case "Reason":
					t.reason = v.Bytes()
				case "Block Manager Address":
					t.from = p.executorOf(v)
				}
			})
		case "Task Info":
			p.taskInfo(v, t)
		case "Task Metrics":
			p.taskMetrics(v, t)
		default:
			p.unknown("", key)
		}
	})
	p.need("Task Info/Task ID", t.id)
	p.need("Task Info/Launch Time", t.launch)
	if stage < 0 || attempt < 0 || t.index < 0 {
		p.need("Stage ID, Stage Attempt ID, Task Info/Index", absent)
	}
	return stage, attempt, t
}

// executorOf is the executor of the address of a block manager, or -1.
func (p *eventParser) executorOf(v jsontext.Value) int32 {
	id := int32(-1)
	v.Members(func(key []byte, v jsontext.Value) {
		if n, ok := p.executorNumber(v.Bytes()); string(key) == "Executor ID" && ok {
			id = n
		}
	})
	return id
}

func (p *eventParser) taskInfo(v jsontext.Value, t *taskInfo) {
	p.visit("Task Info", v, func(key []byte, v jsontext.Value) {
		switch string(key) {
		case "Attempt", "Accumulables":
		case "Task ID":
			t.id = p.int("Task ID", v)
		case "Index":
			t.index = p.int32("Index", v)
		case "Partition ID":
			t.partition = p.int32("Partition ID", v)
		case "Launch Time":
			t.launch = p.time("Launch Time", v)
		case "Finish Time":
			t.finish = p.time("Finish Time", v)
		case "Getting Result Time":
			t.gettingResult = p.time("Getting Result Time", v)
		case "Executor ID":
			t.executor = p.executor("Executor ID", v)
		case "Host":
			t.host = p.textBytes("Host", v)
		case "Locality":
			if t.locality = p.textBytes("Locality", v); localityName(t.locality) == "" {
				p.odd[p.event+"/Task Info/Locality"]++
			}
		case "Speculative":
			t.speculative = p.bool("Speculative", v)
		case "Failed":
			t.failed = p.bool("Failed", v)
		case "Killed":
			t.killed = p.bool("Killed", v)
		default:
			p.unknown("/Task Info", key)
		}
	})
}

func (p *eventParser) taskMetrics(v jsontext.Value, t *taskInfo) {
	remote, local := int64(absent), int64(absent)
	p.visit("Task Metrics", v, func(key []byte, v jsontext.Value) {
		switch string(key) {
		case "Executor Deserialize CPU Time", "Executor CPU Time", "Peak Execution Memory", "Result Size", "JVM GC Time",
			"Memory Bytes Spilled", "Disk Bytes Spilled", "Output Metrics", "Updated Blocks",
			"Peak On Heap Execution Memory", "Peak Off Heap Execution Memory", "Host Name":
		case "Executor Run Time":
			t.runMS = p.duration("Executor Run Time", v)
			t.hasMetrics = t.runMS != absent
		case "Executor Deserialize Time":
			t.deserializeMS = p.duration("Executor Deserialize Time", v)
		case "Result Serialization Time":
			t.resultMS = p.duration("Result Serialization Time", v)
		case "Input Metrics":
			p.visit("Input Metrics", v, func(key []byte, v jsontext.Value) {
				if string(key) == "Bytes Read" {
					t.inputBytes = p.amount("Bytes Read", v)
				}
			})
		case "Shuffle Read Metrics":
			p.visit("Shuffle Read Metrics", v, func(key []byte, v jsontext.Value) {
				switch string(key) {
				case "Remote Bytes Read":
					remote = p.amount("Remote Bytes Read", v)
				case "Local Bytes Read":
					local = p.amount("Local Bytes Read", v)
				}
			})
		case "Shuffle Write Metrics":
			p.visit("Shuffle Write Metrics", v, func(key []byte, v jsontext.Value) {
				if string(key) == "Shuffle Bytes Written" {
					t.shuffleWrite = p.amount("Shuffle Bytes Written", v)
				}
			})
		default:
			p.unknown("/Task Metrics", key)
		}
	})
	if remote != absent || local != absent {
		t.shuffleRead = max(remote, 0) + max(local, 0)
	}
}
