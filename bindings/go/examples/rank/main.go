// Command rank scores the items of a JSON file and prints the best of them, or
// those that fit a budget of tokens.
//
//	go run ./examples/rank scorer.json items.jsonl
//
// The function rank does the work: it reads a scorer and the items, scores and
// selects them, and prints the result. The rest is options and columns.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	cupel "github.com/libcupel/libcupel/bindings/go"
)

const usage = `usage: rank [-k N | --budget TOKENS] [--json] [--now TIME] SCORER [ITEMS]

Scores every item of ITEMS with SCORER and prints the best of them, or those that
fit a budget. Pinned items are kept in any case and have the score 1.

  SCORER           a JSON file that describes the scorer; - is standard input
  ITEMS            a JSON array of items, or JSON Lines; - (the default) is
                   standard input

  -k N             how many items the table shows, best first (default 10)
  --budget TOKENS  show the items that fit, in input order, and what is
                   dropped
  --json           print the row, score and reason of every item as JSON Lines, in
                   input order
  --now TIME       the instant that ages are measured from, as RFC 3339 or in Unix
                   nanoseconds (default: the system's clock)
  -h, --help       print this text
`

const (
	kindWidth    = 12
	contentWidth = 72
)

type options struct {
	scorer, items string
	now           time.Time
	best          int
	budget        int64
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

	policy := cupel.Policy{Scorer: scorer, Placer: cupel.BatchOrder, GroupKey: "cupel:group"}
	request := cupel.Request{MaxTokens: o.budget}
	if o.budget == 0 {
		policy = cupel.Policy{Scorer: scorer, Slicer: cupel.SlicerRanked, Placer: cupel.Ranked, KeepDuplicates: true}
		request = cupel.Request{MaxTokens: math.MaxInt64, MaxRows: o.best}
	}
	selector, err := cupel.NewSelector(policy)
	if err != nil {
		return err
	}
	defer selector.Close()
	var kept cupel.Selection
	if err := selector.Select(batch, request, &kept); err != nil {
		return err
	}

	out := bufio.NewWriter(to)
	if o.json {
		printJSON(out, &kept)
	} else if err := printTable(out, batch, &kept, o); err != nil {
		return err
	}
	return out.Flush()
}

func parse(arguments []string) (options, error) {
	o := options{items: "-", now: time.Now()}
	flags := flag.NewFlagSet("rank", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.IntVar(&o.best, "k", 10, "")
	flags.Int64Var(&o.budget, "budget", 0, "")
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
	case o.budget < 0:
		return o, fmt.Errorf("--budget takes a whole number of 0 or more, not %d", o.budget)
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

func printJSON(out io.Writer, kept *cupel.Selection) {
	for row, score := range kept.Scores {
		text := strconv.FormatFloat(score, 'g', -1, 64)
		if math.IsInf(score, 0) || math.IsNaN(score) {
			text = "null" // JSON has no infinity
		}
		fmt.Fprintf(out, "{\"row\":%d,\"score\":%s,\"reason\":%q}\n", row, text, kept.Reasons[row])
	}
}

func printTable(out io.Writer, batch *cupel.Batch, kept *cupel.Selection, o options) error {
	print := func(first string, row int) error {
		item, err := batch.Item(row)
		if err == nil {
			fmt.Fprintf(out, "%-15s  %8.6f  %7d  %-*s  %5s  %s\n", first, kept.Scores[row], item.Tokens,
				kindWidth, words(item.Kind, kindWidth), age(o.now, item.Timestamp), words(item.Content, contentWidth))
		}
		return err
	}
	fmt.Fprintf(out, "%-15s  %8s  %7s  %-*s  %5s  %s\n", "rank", "score", "tokens", kindWidth, "kind", "age", "content")
	for i, row := range kept.Rows {
		if err := print(strconv.Itoa(i+1), row); err != nil {
			return err
		}
	}
	if o.budget > 0 {
		for row, reason := range kept.Reasons {
			if reason.Kept() {
				continue
			}
			if err := print(reason.String(), row); err != nil {
				return err
			}
		}
		full := int(40 * float64(kept.KeptTokens) / float64(o.budget))
		fmt.Fprintf(out, "[%s%s] %d of %d tokens\n", strings.Repeat("#", full), strings.Repeat(".", 40-full), kept.KeptTokens, o.budget)
	}
	fmt.Fprintf(out, "%d of %d items\n", len(kept.Rows), batch.Len())
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
