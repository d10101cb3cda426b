// Command rank scores the items of a JSON file and prints the best of them.
//
//	go run ./examples/rank scorer.json items.jsonl
//
// The whole job is in rank: read a scorer, read the items into a batch, score
// the batch in one call, print. Everything else is options and columns.
package main

import (
	"bufio"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	cupel "github.com/libcupel/libcupel/bindings/go"
)

const usage = `usage: rank [-k N] [--json] [--now TIME] SCORER [ITEMS]

Scores every item of ITEMS with SCORER and prints the best of them.

  SCORER      a JSON file that describes the scorer; - is standard input
  ITEMS       a JSON array of items, or JSON Lines; - (the default) is standard
              input

  -k N        how many items the table shows, best first (default 10)
  --json      print every item's row and score as JSON Lines, in input order
  --now TIME  the instant that ages are measured from, as RFC 3339 or in Unix
              nanoseconds (default: the system's clock)
  -h, --help  print this text
`

const (
	kindWidth    = 12
	contentWidth = 72
)

type options struct {
	scorer, items string
	now           time.Time
	best          int
	json          bool
}

func main() {
	switch o, err := parse(os.Args[1:]); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Print(usage)
	case err != nil:
		fail(err)
	default:
		if err := rank(o, os.Stdout); err != nil {
			fail(err)
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "rank:", err)
	os.Exit(1)
}

func rank(o options, to io.Writer) error {
	// One instant for the decay scorers and for the column of ages.
	clock, err := cupel.NewFixedClock(o.now)
	if err != nil {
		return err
	}
	defer clock.Close()

	text, err := read(o.scorer)
	if err != nil {
		return err
	}
	scorer, err := cupel.NewScorerFromJSON(text, clock)
	if err != nil {
		return fmt.Errorf("%s: %w", display(o.scorer), err)
	}
	defer scorer.Close()

	batch, err := cupel.NewBatch()
	if err != nil {
		return err
	}
	defer batch.Close()
	if text, err = read(o.items); err != nil {
		return err
	}
	if err := batch.AppendJSON(text); err != nil {
		return fmt.Errorf("%s: %w", display(o.items), err)
	}
	if batch.Len() == 0 {
		return fmt.Errorf("%s: there are no items", display(o.items))
	}

	scores, err := scorer.Score(batch)
	if err != nil {
		return err
	}

	out := bufio.NewWriter(to)
	if o.json {
		printJSON(out, scores)
	} else if err := printTable(out, batch, scores, o); err != nil {
		return err
	}
	return out.Flush()
}

func parse(arguments []string) (options, error) {
	o := options{items: "-", now: time.Now()}
	flags := flag.NewFlagSet("rank", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.IntVar(&o.best, "k", 10, "")
	flags.BoolVar(&o.json, "json", false, "")
	flags.Func("now", "", func(text string) (err error) {
		o.now, err = instant(text)
		return err
	})
	// Options may stand before, between and behind the two files.
	var files []string
	for {
		if err := flags.Parse(arguments); err != nil {
			return o, err
		}
		if flags.NArg() == 0 {
			break
		}
		files = append(files, flags.Arg(0))
		arguments = flags.Args()[1:]
	}
	switch {
	case len(files) == 0:
		return o, errors.New("no scorer given (see rank --help)")
	case len(files) > 2:
		return o, fmt.Errorf("unexpected argument %q (see rank --help)", files[2])
	case o.best < 1:
		return o, fmt.Errorf("-k takes a whole number of 1 or more, not %d", o.best)
	}
	o.scorer = files[0]
	if len(files) == 2 {
		o.items = files[1]
	}
	if o.scorer == "-" && o.items == "-" {
		return o, errors.New("the scorer and the items cannot both come from standard input")
	}
	return o, nil
}

func instant(text string) (time.Time, error) {
	if nanoseconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.Unix(0, nanoseconds), nil
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return t, errors.New("an instant such as 2026-03-14T15:09:26Z, or Unix nanoseconds, is expected")
	}
	return t, nil
}

func read(path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(os.Stdin)
	}
	return os.ReadFile(path)
}

func display(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

func printJSON(out io.Writer, scores []float64) {
	for row, score := range scores {
		if math.IsInf(score, 0) || math.IsNaN(score) {
			fmt.Fprintf(out, "{\"row\":%d,\"score\":null}\n", row) // JSON has no infinity
			continue
		}
		fmt.Fprintf(out, "{\"row\":%d,\"score\":%v}\n", row, score)
	}
}

func printTable(out io.Writer, batch *cupel.Batch, scores []float64, o options) error {
	rows := make([]int, len(scores))
	for row := range rows {
		rows[row] = row
	}
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	rows = rows[:min(o.best, len(rows))]

	fmt.Fprintf(out, "%4s  %8s  %7s  %-*s  %5s  %s\n", "rank", "score", "tokens", kindWidth, "kind", "age", "content")
	for i, row := range rows {
		item, err := batch.Item(row)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%4d  %8.6f  %7d  %-*s  %5s  %s\n", i+1, scores[row], item.Tokens,
			kindWidth, words(item.Kind, kindWidth), age(o.now, item.Timestamp), words(item.Content, contentWidth))
	}
	fmt.Fprintf(out, "%d of %d items\n", len(rows), len(scores))
	return nil
}

// words is text on one line of at most width characters. What would move the
// cursor, start an escape sequence or change the direction shows as a space.
func words(text string, width int) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
	}), " ")
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return strings.TrimRight(string([]rune(text)[:width-3]), " ") + "..."
}

func age(now, then time.Time) string {
	if then.IsZero() {
		return "-"
	}
	d := now.Sub(then)
	sign := ""
	if d < 0 {
		sign, d = "-", -d
	}
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%s%ds", sign, d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%s%dm", sign, d/time.Minute)
	case d < day:
		return fmt.Sprintf("%s%dh", sign, d/time.Hour)
	case d < 730*day:
		return fmt.Sprintf("%s%dd", sign, d/day)
	}
	return fmt.Sprintf("%s%dy", sign, d/(365*day))
}
