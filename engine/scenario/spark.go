package scenario

import sparkconf "replay/engine/spark/conf"

// SparkDefaultsLayer is what lies under the keys recorded with a job.
func (sc *Scenario) SparkDefaultsLayer() sparkconf.Layer {
	return sparkconf.Layer{Name: "--spark-defaults", Strict: true, Values: sc.SparkDefaults}
}

// SparkConfLayer is what lies over the keys recorded with a job.
func (sc *Scenario) SparkConfLayer() sparkconf.Layer {
	return sparkconf.Layer{Name: "--conf", Strict: true, Values: sc.SparkConf}
}

// checkSparkConf refuses what no job could run with: the user's keys that are unknown or mistyped. Values
// that contradict those recorded with a job are found when it arrives.
func (sc *Scenario) checkSparkConf() error {
	for _, l := range []sparkconf.Layer{sc.SparkDefaultsLayer(), sc.SparkConfLayer()} {
		if err := sparkconf.CheckKeys(l); err != nil {
			return &OptionError{err}
		}
	}
	return nil
}

// SetsSpark reports whether the user set one of the keys of Spark for this replay.
func (sc *Scenario) SetsSpark(keys ...string) bool {
	for _, k := range keys {
		if _, ok := sc.SparkConf[k]; ok {
			return true
		}
	}
	return false
}
