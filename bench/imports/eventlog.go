package main

import (
	"fmt"
	"strings"
)

const eventLogFormat = "spark-eventlog"

// tasksOfLog is how many tasks the application of one log has.
const tasksOfLog = 1000

// eventLogs are as Spark 3.5 writes them, two lines of a task: each of an application of one stage on ten executors.
func eventLogs(i int) (name string, fill func(*output)) {
	name = fmt.Sprintf("application_1700000000000_%04d", i+1)
	return name, func(o *output) { eventLog(o, name, 1_700_000_000_000+int64(i)*60_000) }
}

func eventLog(o *output, name string, start int64) {
	stage := fmt.Sprintf(`"Stage ID":0,"Stage Attempt ID":0,"Stage Name":"count at Main.scala:1","Number of Tasks":%d,"RDD Info":[{"RDD ID":0,"Name":"/data/in","Parent IDs":[],"Storage Level":{"Use Disk":false,"Use Memory":false,"Deserialized":false,"Replication":1},"Barrier":false,"Number of Partitions":%d,"Number of Cached Partitions":0,"Memory Size":0,"Disk Size":0}],"Parent IDs":[],"Details":"","Submission Time":%d,"Accumulables":[],"Resource Profile Id":0`,
		tasksOfLog, tasksOfLog, start+5000)
	o.row(`{"Event":"SparkListenerLogStart","Spark Version":"3.5.5"}`)
	o.row(`{"Event":"SparkListenerEnvironmentUpdate","JVM Information":{},"Spark Properties":{"spark.master":"yarn","spark.executor.instances":"10","spark.executor.cores":"1"},"System Properties":{},"Classpath Entries":{}}`)
	o.row(`{"Event":"SparkListenerApplicationStart","App Name":"app","App ID":"%s","Timestamp":%d,"User":"u"}`, name, start)
	for e := range 10 {
		o.row(`{"Event":"SparkListenerExecutorAdded","Timestamp":%d,"Executor ID":"%d","Executor Info":{"Host":"n%d","Total Cores":1,"Log Urls":{},"Attributes":{},"Resources":{},"Resource Profile Id":0}}`, start+4000, e+1, e)
	}
	o.row(`{"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":%d,"Stage Infos":[{%s}],"Stage IDs":[0],"Properties":{}}`, start+5000, stage)
	o.row(`{"Event":"SparkListenerStageSubmitted","Stage Info":{%s},"Properties":{}}`, stage)
	for i := range tasksOfLog {
		launch := start + 5000 + int64(i/10)*700
		info := fmt.Sprintf(`"Task ID":%d,"Index":%d,"Attempt":0,"Partition ID":%d,"Launch Time":%d,"Executor ID":"%d","Host":"n%d","Locality":"NODE_LOCAL","Speculative":false,"Getting Result Time":0`, i, i, i, launch, i%10+1, i%10)
		o.row(`{"Event":"SparkListenerTaskStart","Stage ID":0,"Stage Attempt ID":0,"Task Info":{%s,"Finish Time":0,"Failed":false,"Killed":false,"Accumulables":[]}}`, info)
		o.row(`{"Event":"SparkListenerTaskEnd","Stage ID":0,"Stage Attempt ID":0,"Task Type":"ResultTask","Task End Reason":{"Reason":"Success"},"Task Info":{%s,"Finish Time":%d,"Failed":false,"Killed":false,"Accumulables":[%s]},"Task Executor Metrics":{%s},"Task Metrics":{%s}}`,
			info, launch+600, accumulables(i), memoryPeaks, taskMetrics(i))
	}
	o.row(`{"Event":"SparkListenerStageCompleted","Stage Info":{%s,"Completion Time":%d}}`, stage, start+90_000)
	o.row(`{"Event":"SparkListenerJobEnd","Job ID":0,"Completion Time":%d,"Job Result":{"Result":"JobSucceeded"}}`, start+90_000)
	o.row(`{"Event":"SparkListenerApplicationEnd","Timestamp":%d}`, start+91_000)
}

// accumulables are those that each task of Spark has.
func accumulables(i int) string {
	var list []string
	for id, name := range []string{
		"executorDeserializeTime", "executorDeserializeCpuTime", "executorRunTime", "executorCpuTime", "resultSize", "jvmGCTime", "resultSerializationTime", "memoryBytesSpilled",
		"diskBytesSpilled", "peakExecutionMemory", "input.bytesRead", "input.recordsRead",
	} {
		list = append(list, fmt.Sprintf(`{"ID":%d,"Name":"internal.metrics.%s","Update":%d,"Value":%d,"Internal":true,"Count Failed Values":true}`, id, name, 1000+i%97, (1000+i%97)*i))
	}
	return strings.Join(list, ",")
}

var memoryPeaks = func() string {
	var list []string
	for _, name := range []string{
		"JVMHeapMemory", "JVMOffHeapMemory", "OnHeapExecutionMemory", "OffHeapExecutionMemory", "OnHeapStorageMemory", "OffHeapStorageMemory", "OnHeapUnifiedMemory", "OffHeapUnifiedMemory",
		"DirectPoolMemory", "MappedPoolMemory", "ProcessTreeJVMVMemory", "ProcessTreeJVMRSSMemory", "ProcessTreePythonVMemory", "ProcessTreePythonRSSMemory", "ProcessTreeOtherVMemory",
		"ProcessTreeOtherRSSMemory", "MinorGCCount", "MinorGCTime", "MajorGCCount", "MajorGCTime", "TotalGCTime",
	} {
		list = append(list, fmt.Sprintf(`"%s":0`, name))
	}
	return strings.Join(list, ",")
}()

func taskMetrics(i int) string {
	return fmt.Sprintf(`"Executor Deserialize Time":%d,"Executor Deserialize CPU Time":5949696,"Executor Run Time":%d,"Executor CPU Time":16213019,"Peak Execution Memory":848,"Result Size":1177,"JVM GC Time":0,`+
		`"Result Serialization Time":1,"Memory Bytes Spilled":0,"Disk Bytes Spilled":0,"Shuffle Read Metrics":{"Remote Blocks Fetched":0,"Local Blocks Fetched":0,"Fetch Wait Time":0,"Remote Bytes Read":0,`+
		`"Remote Bytes Read To Disk":0,"Local Bytes Read":0,"Total Records Read":0,"Remote Requests Duration":0},"Shuffle Write Metrics":{"Shuffle Bytes Written":0,"Shuffle Write Time":0,"Shuffle Records Written":0},`+
		`"Input Metrics":{"Bytes Read":%d,"Records Read":10},"Output Metrics":{"Bytes Written":0,"Records Written":0},"Updated Blocks":[]`, 10+i%50, 300+i%200, 134217728-i)
}
