package yarn

// fairNode is what the FairScheduler keeps on a node.
type fairNode struct{}
