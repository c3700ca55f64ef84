package main

import "fmt"

// slsJobs has a container in each line.
func slsJobs(n int) map[string]func(*output) {
	return map[string]func(*output){"jobs.json": func(o *output) {
		for job := range n / rowsOfJob {
			fmt.Fprintf(o, `{"am.type":"mapreduce","job.start.ms":%d,"job.end.ms":%d,"job.queue.name":"q%d","job.id":"job_%d","job.user":"u%d","job.tasks":[`, job*200, job*200+60_000, job%7, job, job%50)
			for i := range rowsOfJob {
				o.row(`%s{"container.host":"/rack%d/h%d","container.start.ms":%d,"container.end.ms":%d,"container.priority":20,"container.type":"map"}`, comma(i), i%10, (job+i)%100, job*200+1000, job*200+2000+job%5000+i)
			}
			fmt.Fprint(o, "]}\n")
		}
	}}
}

// comma goes before what is not the first of a list.
func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

// rumenJobs has a task in each line.
func rumenJobs(n int) map[string]func(*output) {
	return map[string]func(*output){"jobs.json": func(o *output) {
		for job := range n / rowsOfJob {
			id, at := fmt.Sprintf("1_%04d", job), 1_700_000_000_000+int64(job)*200
			fmt.Fprintf(o, `{"priority":"NORMAL","jobID":"job_%s","user":"u%d","jobName":"n","queue":"q%d","jobtype":"JAVA","outcome":"SUCCESS","submitTime":%d,"launchTime":%d,"finishTime":%d,"totalMaps":%d,"totalReduces":0,"jobMapMB":1024,"mapTasks":[`,
				id, job%50, job%7, at, at+500, at+60_000, rowsOfJob)
			for i := range rowsOfJob {
				o.row(`%s{"taskID":"task_%s_m_%06d","taskType":"MAP","taskStatus":"SUCCESS","startTime":%d,"finishTime":%d,"inputBytes":134217728,"preferredLocations":[{"layers":["r1","h%d"]},{"layers":["r2","h%d"]}],"attempts":[{"attemptID":"attempt_%s_m_%06d_0","result":"SUCCESS","startTime":%d,"finishTime":%d,"hostName":"/r1/h%d","location":{"layers":["r1","h%d"]},"hdfsBytesRead":134217728,"clockSplits":[1,2],"vmemKbytes":[1]}]}`,
					comma(i), id, i, at+1000, at+31_000, i, i+20, id, i, at+1000, at+2000+int64(job%5000), i, i)
			}
			fmt.Fprint(o, `],"reduceTasks":[],"otherTasks":[]}`+"\n")
		}
	}}
}

// mapsOfHistory is how many tasks the job of one history has.
const mapsOfHistory = 200

// jobHistories are as Hadoop 3 writes them: four lines of a task.
func jobHistories(i int) (name string, fill func(*output)) {
	at := 1_700_000_000_000 + int64(i)*60_000
	job := fmt.Sprintf("job_1700000000000_%04d", i+1)
	return fmt.Sprintf("%s-%d-u-count-%d-%d-0-SUCCEEDED-etl.jhist", job, at, at+50_000, mapsOfHistory), func(o *output) { jobHistory(o, job, at) }
}

func jobHistory(o *output, job string, at int64) {
	event := func(kind, class, format string, args ...any) {
		o.row(`{"type":"%s","event":{"org.apache.hadoop.mapreduce.jobhistory.%s":{%s}}}`, kind, class, fmt.Sprintf(format, args...))
	}
	o.row("Avro-Json")
	o.row(`{"type":"record","name":"Event","namespace":"org.apache.hadoop.mapreduce.jobhistory","fields":[]}`)
	event("JOB_SUBMITTED", "JobSubmitted", `"jobid":"%s","jobName":"count","userName":"u","submitTime":%d,"jobConfPath":"x","acls":{},"jobQueueName":{"string":"etl"}`, job, at)
	event("JOB_INITED", "JobInited", `"jobid":"%s","launchTime":%d,"totalMaps":%d,"totalReduces":0,"jobStatus":"INITED","uberized":false`, job, at+3000, mapsOfHistory)
	const counters = `"counters":{"name":"COUNTERS","groups":[{"name":"fs","displayName":"fs","counts":[{"name":"HDFS_BYTES_READ","displayName":"","value":134217728}]}]}`
	for i := range int64(mapsOfHistory) {
		task := fmt.Sprintf("task%s_m_%06d", job[3:], i)
		attempt := fmt.Sprintf("attempt%s_m_%06d_0", job[3:], i)
		begin := at + 5000 + i/10*700
		event("TASK_STARTED", "TaskStarted", `"taskid":"%s","taskType":"MAP","startTime":%d,"splitLocations":"h%d,h%d"`, task, at+3100, i%100, (i+7)%100)
		event("MAP_ATTEMPT_STARTED", "TaskAttemptStarted", `"taskid":"%s","taskType":"MAP","attemptId":"%s","startTime":%d,"trackerName":"h%d","httpPort":1,"shufflePort":2,"containerId":"c%d"`, task, attempt, begin, i%100, i+2)
		event("MAP_ATTEMPT_FINISHED", "MapAttemptFinished", `"taskid":"%s","attemptId":"%s","taskType":"MAP","taskStatus":"SUCCEEDED","mapFinishTime":%d,"finishTime":%d,"hostname":"h%d","port":1,"rackname":"/r1","state":"",%s`,
			task, attempt, begin+500, begin+600, i%100, counters)
		event("TASK_FINISHED", "TaskFinished", `"taskid":"%s","taskType":"MAP","finishTime":%d,"status":"SUCCEEDED",%s,"successfulAttemptId":{"string":"%s"}`, task, begin+600, counters, attempt)
	}
	event("JOB_FINISHED", "JobFinished", `"jobid":"%s","finishTime":%d,"finishedMaps":%d,"finishedReduces":0,"failedMaps":0,"failedReduces":0`, job, at+50_000, mapsOfHistory)
}

// tasksOfInstance is how many tasks one workflow instance has.
const tasksOfInstance = 500

// workflowInstances are of WfFormat 1.5: two lines of a task.
func workflowInstances(i int) (name string, fill func(*output)) {
	return fmt.Sprintf("instance-%06d.json", i), func(o *output) { workflowInstance(o, i) }
}

func workflowInstance(o *output, k int) {
	fmt.Fprintf(o, `{"name":"mosaic-%d","schemaVersion":"1.5","workflow":{"specification":{"tasks":[`, k)
	for i := range tasksOfInstance {
		parents := ""
		if i >= 100 {
			parents = fmt.Sprintf(`"t%d"`, i-100)
		}
		o.row(`%s{"name":"project_%d","id":"t%d","parents":[%s],"children":[]}`, comma(i), i, i, parents)
	}
	fmt.Fprintf(o, `],"files":[]},"execution":{"makespanInSeconds":500,"executedAt":"2024-05-06T07:%02d:09+00:00","tasks":[`, k%60)
	for i := range tasksOfInstance {
		o.row(`%s{"id":"t%d","runtimeInSeconds":%d.5,"coreCount":1,"memoryInBytes":536870912,"machines":["worker-%d"]}`, comma(i), i, 10+(i+k)%50, i%4)
	}
	fmt.Fprint(o, `],"machines":[{"nodeName":"worker-0","cpu":{"coreCount":8},"memoryInBytes":17179869184},{"nodeName":"worker-1","cpu":{"coreCount":8},"memoryInBytes":17179869184},{"nodeName":"worker-2","cpu":{"coreCount":8},"memoryInBytes":17179869184},{"nodeName":"worker-3","cpu":{"coreCount":8},"memoryInBytes":17179869184}]}}}`+"\n")
}
