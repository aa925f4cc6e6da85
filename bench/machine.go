package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// machine describes where the figures come from.
func machine() string {
	return fmt.Sprintf("%s, cores: %d, %s %s, %s", processor(), runtime.NumCPU(), runtime.GOOS, kernel(), runtime.Version())
}

// processor is the model's name as Linux tells it, with family, model and stepping, since virtual machines hide part
// of the name.
func processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	value := func(key string) string {
		for line := range strings.Lines(string(info)) {
			if name, text, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == key {
				return strings.TrimSpace(text)
			}
		}
		return "?"
	}
	return fmt.Sprintf("%s (family %s, model %s, stepping %s, %s MHz)",
		value("model name"), value("cpu family"), value("model"), value("stepping"), value("cpu MHz"))
}

func kernel() string {
	release, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(release))
}
