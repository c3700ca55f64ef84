package synth

// monthElastic is month without caches: Spark's dynamic allocation gives executors back while the last tasks of the first stage run, and asks for others after it.
var monthElastic = func() Preset {
	p := month
	p.Name, p.version, p.Job = "month-elastic", "", monthJob
	p.Usage = "month with applications that cache nothing: they give back executors that are idle, and ask for 25 each"
	return p
}()
