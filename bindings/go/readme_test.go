package cupel_test

import (
	"os"
	"strings"
	"testing"
)

// Every Go block of README.md that is not a program is part of an example, which
// is compiled and run.
func TestReadme(t *testing.T) {
	code := func(file string) string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		for i, line := range lines {
			lines[i] = strings.TrimLeft(line, "\t")
		}
		return strings.Join(lines, "\n")
	}
	examples := code("example_test.go")
	blocks := strings.Split(code("README.md"), "```go\n")[1:]
	if len(blocks) < 2 {
		t.Errorf("%d blocks", len(blocks))
	}
	for _, block := range blocks {
		block, _, _ = strings.Cut(block, "```")
		if !strings.HasPrefix(block, "package main\n") && !strings.Contains(examples, block) {
			t.Errorf("example_test.go does not contain this block of README.md:\n%s", block)
		}
	}
}
