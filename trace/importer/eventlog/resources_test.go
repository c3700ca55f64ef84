package eventlog

import (
	"fmt"
	"strings"
	"testing"

	"replay/trace/importer/importtest"
)

// Amounts of YARN's resources may have a unit, and one without is in ones.
func TestAmountsWithUnits(t *testing.T) {
	log := strings.Replace(logText, `"spark.executor.cores"`, `"spark.yarn.executor.resource.acme.amount":"2k","spark.yarn.executor.resource.other.amount":"3","spark.executor.cores"`, 1)
	_, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "app-1", log), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(m.Nodes[0].Extra); got != "[{acme 2000} {other 3}]" {
		t.Errorf("the node has %s", got)
	}
	bad := strings.Replace(log, `"2k"`, `"2 heaps"`, 1)
	if _, _, err := importtest.Import(t, Format, importtest.WriteNew(t, "app-1", bad), nil); err == nil || !strings.Contains(err.Error(), `spark property spark.yarn.executor.resource.acme.amount is "2 heaps", want a whole number`) {
		t.Errorf("an amount that is none gives the error %v", err)
	}
}
