package main

import (
	"math/rand/v2"
	"strconv"
)

func csvTable(n int) map[string]func(*output) {
	return map[string]func(*output){"jobs.csv": func(o *output) {
		o.row("job,submit,start,end,vcores,mem_mb,user,queue,host")
		interleaved(n, func(job, step, at int, r *rand.Rand) {
			o.row("job-%d,%d,%d,%d,%d,%d,u%d,q%d,n%d", job, 1_700_000_000+job/5, 1_700_000_000+at, 1_700_000_000+at+r.IntN(600), 1+r.IntN(4), 1024<<r.IntN(4), job%50, job%7, r.IntN(100))
		})
	}}
}

func alibaba2017(n int) map[string]func(*output) {
	return map[string]func(*output){
		"batch_task.csv": func(o *output) {
			for job := range n / rowsOfJob {
				o.row("%d,%d,%d,%d,%d,Terminated,50,0.007956928", 100+job/5, 700+job/5, job, job, rowsOfJob)
			}
		},
		"batch_instance.csv": func(o *output) {
			interleaved(n, func(job, step, at int, r *rand.Rand) {
				o.row("%d,%d,%d,%d,%d,Terminated,%d,%d,0.5,0.4,0.02,0.01", 100+at, 101+at+r.IntN(500), job, job, r.IntN(100), step+1, rowsOfJob)
			})
		},
	}
}

func alibaba2018(n int) map[string]func(*output) {
	return map[string]func(*output){
		"batch_task.csv": func(o *output) {
			for job := range n / rowsOfJob {
				o.row("M1,%d,j_%d,1,Terminated,%d,%d,100,0.3", rowsOfJob-1, job, 100+job/5, 700+job/5)
			}
		},
		"batch_instance.csv": func(o *output) {
			interleaved(n, func(job, step, at int, r *rand.Rand) {
				o.row("ins_%d_%d,M1,j_%d,1,Terminated,%d,%d,m_%d,1,1,41,61,0.02,0.03", job, step, job, 100+at, 101+at+r.IntN(500), r.IntN(100))
			})
		},
	}
}

func alibabaGPU2020(n int) map[string]func(*output) {
	return map[string]func(*output){
		"pai_job_table.csv": func(o *output) {
			for job := range n / rowsOfJob {
				o.row("j%d,i%d,u%d,Terminated,%d.0,%d.0", job, job, job%50, 940+job/5, 1600+job/5)
			}
		},
		"pai_task_table.csv": func(o *output) {
			for job := range n / rowsOfJob {
				o.row("j%d,worker,%d.0,Terminated,%d.0,%d.0,600.0,29.296875,50.0,T4", job, rowsOfJob, 940+job/5, 1600+job/5)
			}
		},
		"pai_instance_table.csv": func(o *output) {
			interleaved(n, func(job, step, at int, r *rand.Rand) {
				o.row("j%d,worker,a%d_%d,w%d_%d,i%d,Terminated,%d.0,%d.0,h%d", job, job, step, job, step, job, 1000+at, 1001+at+r.IntN(500), r.IntN(100))
			})
		},
	}
}

func alibabaGPU2023(n int) map[string]func(*output) {
	return map[string]func(*output){
		"node_list.csv": func(o *output) {
			o.row("sn,cpu_milli,memory_mib,gpu,model")
			for m := range 100 {
				o.row("n-%d,96000,786432,8,V100M16", m)
			}
		},
		"pod_list.csv": func(o *output) {
			o.row("name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time")
			inTurn(n, func(job, step, at int, r *rand.Rand) {
				o.row("p-%d-%d,6500,12288,1,460,,LS,Succeeded,%d,%d,%d", job, step, 1000+at, 1010+at+r.IntN(5000), 1005+at)
			})
		},
	}
}

func azurePacking(n int) map[string]func(*output) {
	return map[string]func(*output){
		"vmType.csv": func(o *output) {
			o.row("id,vmTypeId,machineId,core,memory,hdd,ssd,nic")
			for t := range 30 {
				o.row("%d,%d,%d,0.125,0.0625,,0.1,0.1", t, t/2, t%2)
			}
		},
		"vm.csv": func(o *output) {
			o.row("vmId,tenantId,vmTypeId,priority,starttime,endtime")
			inTurn(n, func(job, step, at int, r *rand.Rand) {
				start := float64(at) / 86400
				o.row("%d,%d,%d,%d,%.8f,%.8f", job*rowsOfJob+step, job%200, r.IntN(15), r.IntN(2), start, start+float64(1+r.IntN(3600))/86400)
			})
		},
	}
}

func azureVM(n int) map[string]func(*output) {
	return map[string]func(*output){"vmtable.csv": func(o *output) {
		r := rand.New(rand.NewPCG(1, 2))
		for i := range n {
			o.row("vm%d,sub%d,dep%d,%d,%d,99.4,3.4,10.2,Interactive,2,3.5", i, i%200, i%5000, i/10, i/10+300*r.IntN(1000))
		}
	}}
}

func google2011(n int) map[string]func(*output) {
	return map[string]func(*output){
		"machine_events.csv": func(o *output) {
			for m := range 100 {
				o.row("0,%d,0,p,0.5,0.5", m+1)
			}
		},
		"job_events.csv": func(o *output) {
			for job := range n / rowsOfJob {
				o.row("%d,,%d,0,u%d,1,n%d,l", 600_000_000+job*200_000, job, job%50, job)
			}
		},
		"task_events.csv": func(o *output) {
			interleaved(n, func(job, step, at int, r *rand.Rand) {
				kind := []int{0, 1, 4}[step%3]
				o.row("%d,,%d,%d,%d,%d,u%d,1,2,0.0625,0.0318,0.0004,", 600_000_000+1_000_000*at, job, step/3, r.IntN(100), kind, job%50)
			})
		},
	}
}

func google2019(n int) map[string]func(*output) {
	return map[string]func(*output){
		"machine_events.json": func(o *output) {
			for m := range 100 {
				o.row(`{"time":"0","machine_id":"%d","type":"1","switch_id":"s%d","capacity":{"cpus":0.5,"memory":0.25}}`, m+1, m%10)
			}
		},
		"instance_events.json": func(o *output) {
			interleaved(n, func(job, step, at int, r *rand.Rand) {
				kind := []int{0, 3, 6}[step%3]
				o.row(`{"time":"%d","type":"%d","collection_id":"%d","priority":"103","instance_index":"%d","machine_id":"%d","resource_request":{"cpus":0.02,"memory":0.01}}`,
					600_000_000+1_000_000*at, kind, job, step/3, 1+r.IntN(100))
			})
		},
	}
}

// standardWorkload has a job in each line.
func standardWorkload(n int) map[string]func(*output) {
	return map[string]func(*output){"log.swf": func(o *output) {
		o.row("; Version: 2.2")
		o.row("; MaxNodes: 100")
		o.row("; MaxProcs: 1600")
		o.row("; UnixStartTime: 1000000000")
		r := rand.New(rand.NewPCG(1, 2))
		for i := range n {
			o.row("%7d %8d %5d %6d %4d -1 -1 %4d %6d -1 1 %d %d -1 %d -1 -1 -1", i+1, i/5, r.IntN(100), 1+r.IntN(3600), 4, 4, 7200, i%50, i%10, i%7)
		}
	}}
}

func gridWorkflows(n int) map[string]func(*output) {
	return map[string]func(*output){"grid.gwf": func(o *output) {
		o.row("WorkflowID, JobID     , SubmitTime, RunTime   , NProcs    , ReqNProcs , Dependencies")
		inTurn(n, func(job, step, at int, r *rand.Rand) {
			after := ""
			if step > 0 {
				after = "1"
			}
			o.row("%-10d, %-10d, %-10d, %-10d, %-10d, %-10d, %s", job, step+1, at, 1+r.IntN(600), 1, 1, after)
		})
	}}
}

// swimJobs has a job in each line, with as many maps as its bytes of input make: twelve of 64 MiB.
func swimJobs(n int) map[string]func(*output) {
	return map[string]func(*output){"jobs.tsv": func(o *output) {
		for i := range n {
			o.row("job%d\t%d\t%d\t%d\t%d\t%d", i, i/5, 1, 12<<26, 1_000_000+i%1000, 1000)
		}
	}}
}

// decimaStages are queries of twelve stages, each after the one before.
func decimaStages(n int) map[string]func(*output) {
	return map[string]func(*output){"stages.csv": func(o *output) {
		o.row("size_gb,query,stage,parents,tasks,fresh_ms_median,fresh_lnsd,first_ms_median,first_lnsd,rest_ms_median,rest_lnsd,samples")
		inTurn(n, func(job, step, at int, r *rand.Rand) {
			parents := ""
			if step > 0 {
				parents = strconv.Itoa(step - 1)
			}
			o.row("%d,%d,%d,%s,4,%d,0.1,%d,0.1,2000,0.3,50", 2+job/22, job%22+1, step, parents, 4000+r.IntN(1000), 4000+r.IntN(1000))
		})
	}}
}
