package eventlog

import (
	"fmt"
	"math"

	"replay/trace"
	"replay/trace/importer/jsontext"
)

// appEvents takes the events of one application in the order of its log.
type appEvents interface {
	onLogStart(version string)
	onDatabricks() // Databricks wrote the log
	onAppStart(appStart)
	onAppEnd(at int64, exitCode int64)
	onEnvironment(spark map[string]string)
	onProfile(resourceProfile)
	onExecutorAdded(executorAdded)
	onExecutorRemoved(at int64, id int32, reason string)
	onJobStart(jobStart)
	onJobEnd(id int32, at int64, ok bool)
	onStageSubmitted(*stageInfo)
	onStageCompleted(*stageInfo)
	onTaskStart(stage, attempt int32, t *taskInfo)
	onTaskEnd(stage, attempt int32, t *taskInfo)
	onUnpersist(rdd int32)
}

type appStart struct {
	name, id, user, attempt string
	at                      int64
}

type resourceProfile struct {
	id                         int32
	cores, memMiB, overheadMiB int64 // absent when the profile does not name it
	pysparkMiB, offHeapMiB     int64
	taskCPUs                   float64          // 0 when not named
	custom                     map[string]int64 // of an executor, beyond these, by Spark's name
	customOfTasks              map[string]float64
	ownExecutors               bool // names something of an executor; else it is of tasks alone
}

type executorAdded struct {
	id        int32
	host      string
	cores     int64
	profile   int32
	at        int64
	request   int64  // or absent
	node      string // YARN's name of the node, or ""
	container string // YARN's id, or ""
}

type jobStart struct {
	id        int32
	at        int64
	stages    []*stageInfo
	stageIDs  []int32
	pool      string
	group     string
	execution string // SQL execution
}

type stageInfo struct {
	id, attempt          int32
	name                 string
	tasks                int32
	rdds                 []rddInfo
	parents              []int32
	submitted, completed int64
	failure              string
	profile              int32
}

// partitions are those of the RDDs of the stage, of which a result stage may compute a part; 0 = not known.
func (s *stageInfo) partitions() (n int32) {
	for i := range s.rdds {
		n = max(n, s.rdds[i].partitions)
	}
	if n > 0 {
		n = max(n, s.tasks)
	}
	return n
}

type rddInfo struct {
	id         int32
	name       string
	parents    []int32
	stored     bool // has a storage level
	barrier    bool
	partitions int32
}

type taskInfo struct {
	id                                    int64
	index, partition                      int32 // partition is -1 when the log has none
	launch, finish, gettingResult         int64
	executor                              int32
	host                                  []byte
	locality                              []byte
	speculative, failed, killed           bool
	reason                                []byte
	from                                  int32 // executor from which the task could not fetch, or -1
	result                                bool  // a ResultTask
	hasMetrics                            bool
	runMS, deserializeMS, resultMS        int64
	inputBytes, shuffleRead, shuffleWrite int64
}

// worked is how long the task has worked by its own account, ms; 0 without metrics.
func (t *taskInfo) worked() int64 {
	return max(t.runMS, 0) + max(t.deserializeMS, 0) + max(t.resultMS, 0)
}

func (p *eventParser) logStart(v jsontext.Value, app appEvents) {
	version := ""
	p.visit("", v, func(key []byte, v jsontext.Value) {
		switch string(key) {
		case "Event":
		case "Spark Version":
			version = p.text("Spark Version", v)
		default:
			p.unknown("", key)
		}
	})
	if p.err == nil {
		app.onLogStart(version)
	}
}

func (p *eventParser) databricksStart(v jsontext.Value, app appEvents) {
	version := ""
	p.visit("", v, func(key []byte, v jsontext.Value) {
		if string(key) == "Spark Version" {
			version = p.text("Spark Version", v)
		}
	})
	if p.err == nil {
		app.onDatabricks()
		app.onLogStart(version)
	}
}

func (p *eventParser) appStart(v jsontext.Value, app appEvents) {
	s := appStart{at: absent}
	p.visit("", v, func(key []byte, v jsontext.Value) {
		switch string(key) {
		case "Event", "Driver Logs", "Driver Attributes":
		case "App Name":
			s.name = p.text("App Name", v)
		case "App ID":
			s.id = p.text("App ID", v)
		case "App Attempt ID":
			s.attempt = p.text("App Attempt ID", v)
		case "User":
			s.user = p.text("User", v)
		case "Timestamp":
			s.at = p.time("Timestamp", v)
		default:
			p.unknown("", key)
		}
	})
	p.need("Timestamp", s.at)
	if p.err == nil {
		app.onAppStart(s)
	}
}

func (p *eventParser) appEnd(v jsontext.Value, app appEvents) {
	at, code := int64(absent), int64(absent)
	p.visit("", v, func(key []byte, v jsontext.Value) {
		switch string(key) {
		case "Event":
		case "Timestamp":
			at = p.time("Timestamp", v)
		case "ExitCode": // since Spark 4.0
			if v.Kind() != jsontext.Null {
				code = p.int("ExitCode", v)
			}
		default:
			p.unknown("", key)
		}
	})
	p.need("Timestamp", at)
	if p.err == nil {
		app.onAppEnd(at, code)
	}
}

func (p *eventParser) environment(v jsontext.Value, app appEvents) {
	var spark map[string]string
	p.visit("", v, func(key []byte, v jsontext.Value) {
		switch string(key) {
		case "Event", "JVM Information", "Hadoop Properties", "System Properties", "Metrics Properties", "Classpath Entries":
		case "Spark Properties":
			spark = p.texts("Spark Properties", v)
		default:
			p.unknown("", key)
		}
	})
	if p.err == nil {
		app.onEnvironment(spark)
	}
}

// wholeAmount reports whether an amount of a resource is a whole number that a trace can hold.
func wholeAmount(n float64) bool { return n == math.Trunc(n) && n <= math.MaxInt32 }

func (p *eventParser) profile(v jsontext.Value, app appEvents) {
	r := resourceProfile{cores: absent, memMiB: absent, overheadMiB: absent, pysparkMiB: absent, offHeapMiB: absent}
	id := int64(absent)
	amount := func(v jsontext.Value, fits func(n float64) bool, want string) (n float64) {
		p.visit("resource request", v, func(key []byte, v jsontext.Value) {
			if string(key) == "Amount" {
				f, ok := v.Float()
				if !ok || !fits(f) {
					p.fail("Amount", v, want)
				}
				n = f
			}
		})
		return n
	}
	p.visit("", v, func(key []byte, v jsontext.Value) {
		switch string(key) {
		case "Event":
		case "Resource Profile Id":
			id = int64(p.int32("Resource Profile Id", v))
		case "Executor Resource Requests":
			p.visit("Executor Resource Requests", v, func(key []byte, v jsontext.Value) {
				most, want := float64(math.MaxInt32), "a whole number"
				switch string(key) {
				case "cores":
					most, want = trace.MostVCores, fmt.Sprintf("a whole number of at most %d", trace.MostVCores)
				case "memory", "memoryOverhead", "pyspark.memory", "offHeap":
					most, want = trace.MostMemMiB/8, fmt.Sprintf("a whole number of MiB of at most %d", trace.MostMemMiB/8)
				}
				n := int64(amount(v, func(n float64) bool { return n >= 0 && n <= most && wholeAmount(n) }, want))
				r.ownExecutors = true
				switch string(key) {
				case "cores":
					r.cores = n
				case "memory":
					r.memMiB = n
				case "memoryOverhead":
					r.overheadMiB = n
				case "pyspark.memory":
					r.pysparkMiB = n
				case "offHeap":
					r.offHeapMiB = n
				default:
					if r.custom == nil {
						r.custom = map[string]int64{}
					}
					r.custom[string(key)] = n
				}
			})
		case "Task Resource Requests":
			p.visit("Task Resource Requests", v, func(key []byte, v jsontext.Value) {
				if string(key) == "cpus" {
					r.taskCPUs = amount(v, func(n float64) bool { return n >= 1 && n <= trace.MostVCores && wholeAmount(n) }, fmt.Sprintf("a whole number of 1 to %d", trace.MostVCores))
				} else {
					if r.customOfTasks == nil {
						r.customOfTasks = map[string]float64{}
					}
					r.customOfTasks[string(key)] = amount(v, func(n float64) bool { return n > 0 && (n <= 0.5 || wholeAmount(n)) }, "a whole number, or a share up to 0.5 of one")
				}
			})
		default:
			p.unknown("", key)
		}
	})
	p.need("Resource Profile Id", id)
	r.id = int32(id)
	if p.err == nil {
		app.onProfile(r)
	}
}

func (p *eventParser) executorAdded(v jsontext.Value, app appEvents) {
	e := executorAdded{at: absent, cores: absent, request: absent, id: -1}
	p.visit("", v, func(key []byte, v jsontext.Value) {
		switch string(key) {
		case "Event":
		case "Timestamp":
			e.at = p.time("Timestamp", v)
		case "Executor ID":
			e.id = p.executor("Executor ID", v)
		case "Executor Info":
			p.visit("Executor Info", v, func(key []byte, v jsontext.Value) {
				switch string(key) {
				case "Log Urls", "Resources", "Registration Time":
				case "Host":
					e.host = p.text("Host", v)
				case "Total Cores":
					if e.cores = p.int("Total Cores", v); e.cores < 1 || e.cores > trace.MostVCores {
						p.fail("Total Cores", v, fmt.Sprintf("a number of 1 to %d", trace.MostVCores))
					}
				case "Resource Profile Id":
					if e.profile = p.int32("Resource Profile Id", v); e.profile < 0 {
						p.fail("Resource Profile Id", v, "a number of 0 or more")
					}
				case "Request Time":
					e.request = p.time("Request Time", v)
				case "Attributes":
					a := p.texts("Attributes", v)
					e.node, e.container = a["NM_HOST"], a["CONTAINER_ID"]
				default:
					p.unknown("/Executor Info", key)
				}
			})
		default:
			p.unknown("", key)
		}
	})
	p.need("Timestamp", e.at)
	p.need("Executor Info/Total Cores", e.cores)
	if e.host == "" {
		p.need("Executor Info/Host", absent)
	}
	if e.id < 0 {
		p.need("Executor ID", absent)
	}
	if p.err == nil {
		app.onExecutorAdded(e)
	}
}

func (p *eventParser) executorRemoved(v jsontext.Value, app appEvents) {
	at, id, reason := int64(absent), int32(-1), ""
	p.visit("", v, func(key []byte, v jsontext.Value) {
		switch string(key) {
		case "Event":
		case "Timestamp":
			at = p.time("Timestamp", v)
		case "Executor ID":
			id = p.executor("Executor ID", v)
		case "Removed Reason":
			reason = p.text("Removed Reason", v)
		default:
			p.unknown("", key)
		}
	})
	p.need("Timestamp", at)
	if p.err == nil {
		app.onExecutorRemoved(at, id, reason)
	}
}

func (p *eventParser) unpersist(v jsontext.Value, app appEvents) {
	id := int64(absent)
	p.visit("", v, func(key []byte, v jsontext.Value) {
		switch string(key) {
		case "Event":
		case "RDD ID":
			id = int64(p.int32("RDD ID", v))
		default:
			p.unknown("", key)
		}
	})
	p.need("RDD ID", id)
	if p.err == nil {
		app.onUnpersist(int32(id))
	}
}
