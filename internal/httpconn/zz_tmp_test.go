package httpconn_test
import ("testing";"syscall";"time";"net/http";"github.com/esdriver/esdriver/internal/httpconn";"os")
func cpu() time.Duration { var r syscall.Rusage; syscall.Getrusage(0,&r); return time.Duration(r.Utime.Nano()+r.Stime.Nano()) }
func BenchmarkTmp(b *testing.B) {
	for _, k := range []struct{n string; a []byte; body []byte}{{"get",[]byte(answer300),nil},{"ans",sized(1<<20),nil},{"bulk",sized(300),make([]byte,1<<20)}} {
	base := canServer(b, k.a)
	run := func(name string, f func(*http.Request)(*http.Response,error)) { b.Run(k.n+"/"+name, func(b *testing.B){ s:=cpu(); measure(b, base, k.body, f); b.ReportMetric(float64(cpu()-s)/float64(b.N),"cpu-ns/op") }) }
	c := dial(b, base, httpconn.Config{})
	run("stall", func(r *http.Request)(*http.Response,error){ return c.RoundTrip(r, httpconn.Options{HeaderTimeout: patience, StallTimeout: patience, Owner: nothing{}})})
	c2 := dial(b, base, httpconn.Config{})
	run("bare", func(r *http.Request)(*http.Response,error){ return c2.RoundTrip(r, httpconn.Options{Owner: nothing{}})})
	tr := &http.Transport{}
	run("transport", tr.RoundTrip)
	tr.CloseIdleConnections()
	}
	_ = os.Args
}
