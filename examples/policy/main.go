// Command policy is replay with a sharing policy of one's own: --sharing newest, and <schedulingPolicy>newest</schedulingPolicy>
// in a fair-scheduler.xml.
package main

import (
	"cmp"
	"os"

	"replay/cmd/replay/command"
	"replay/policy"
	"replay/policy/resource"
)

// newest divides as YARN's fair policy does and serves the application that came last first.
type newest struct{ policy.Sharing }

func (newest) Compare(a, b *policy.Contender, _ *resource.Resource) int {
	return cmp.Or(cmp.Compare(b.Start, a.Start), cmp.Compare(a.Rank, b.Rank))
}

func newNewest(types int) policy.Sharing {
	fair, err := policy.NewSharing("fair", types)
	if err != nil {
		panic(err)
	}
	return newest{fair}
}

func main() {
	os.Exit(command.Main(policy.Tables{Sharings: []policy.SharingEntry{{Name: "newest", New: newNewest}}}))
}
