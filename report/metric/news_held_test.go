package metric

import (
	"slices"
	"strings"
	"testing"

	"replay/report/quantity"
	"replay/report/reporttest"
)

// How long jobs were held back until others had ended, over those that begin after others, and the chain that ends last: by hand, 901, 1301, 1 and 0 ms.
func TestHeldJobs(t *testing.T) {
	s := Of(reporttest.DataOf(t, reporttest.InChains))
	for name, want := range map[string]float64{"wait_job_held_mean_ms": 2203. / 4, "wait_job_held_max_ms": 1301, "wait_job_held_p50_ms": (1 + 901) / 2., "wait_job_held_count": 3} {
		if v, ok := s.Value(name); !ok || v.Number != want || v.N != 4 {
			t.Errorf("%s is %v of %d (there: %v), want %v of 4", name, v.Number, v.N, ok, want)
		}
	}
	if v, _ := s.Value("wait_job_held_mean_ms"); v.Family != quantity.Headline || !v.Ends || v.Of() != "4 of 6 jobs" {
		t.Errorf("%+v", v.Quantity)
	}
	news := s.News()
	for _, want := range []string{
		"Held back until others had ended (depends_on): 3 of 4 jobs, beyond their own times by 550.8 ms on average over all 4. Waits and durations count from the submission.",
		"A chain of 3 jobs, each held back until the one before it had ended, ends last: job 0, job 2, job 3. It takes 3.60 s of the makespan of 3.60 s; 600 ms of it lie between the end of one and the submission of the next.",
	} {
		if !slices.Contains(news, want) {
			t.Errorf("no %q in %s", want, strings.Join(news, "\n"))
		}
	}
	for _, feed := range []string{"usual", "by hand"} {
		s := Of(reporttest.DataOf(t, reporttest.Feeds[feed]))
		for i := range s.Values {
			if strings.Contains(s.Values[i].Name, "held") {
				t.Errorf("%s: %s, and no job begins after another", feed, s.Values[i].Name)
			}
		}
		if news := strings.Join(s.News(), "\n"); strings.Contains(news, "held back") {
			t.Error(feed, ": ", news)
		}
	}
}
