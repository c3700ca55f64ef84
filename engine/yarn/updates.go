package yarn

// updates are the outstanding resizes of an attempt's containers.
type updates struct{}
