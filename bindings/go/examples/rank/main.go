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
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	cupel "github.com/libcupel/libcupel/bindings/go"
)

const usage = `usage: rank [-k N] [--budget N] [--json] [--now TIME] SCORER [ITEMS]

Scores every item of ITEMS with SCORER and prints the best of them, or those to
keep under a budget. Pinned items are always among them.

  SCORER      a JSON file that describes the scorer; - is standard input
  ITEMS       a JSON array of items, or JSON Lines; - (the default) is standard
              input

  -k N        how many items the table shows, best first (default 10); with a
              budget, how many of those that were dropped
  --budget N  show which items to keep in N tokens, in input order, and why the
              others were dropped
  --json      print every item's row and score, and with a budget the reason why it
              was kept or dropped, as JSON Lines in input order
  --now TIME  the instant that ages are measured from, as RFC 3339 or in Unix
              nanoseconds (default: the system's clock)
  -h, --help  print this text
`

const (
	kindWidth    = 12
	contentWidth = 72
	budgetWidth  = 56 // of the content in the table of a budget
	reasonWidth  = 16
	barWidth     = 40
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

	out := bufio.NewWriter(to)
	switch {
	case o.budget > 0:
		err = printBudget(out, batch, scorer, o)
	case o.json:
		var scores []float64
		if scores, err = scorer.Score(batch); err == nil {
			printJSON(out, scores, nil)
		}
	default:
		err = printBest(out, batch, scorer, o)
	}
	if err != nil {
		return err
	}
	return out.Flush()
}

func parse(arguments []string) (options, error) {
	o := options{items: "-", now: time.Now()}
	flags := flag.NewFlagSet("rank", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.IntVar(&o.best, "k", 10, "")
	flags.Func("budget", "", func(text string) (err error) {
		if o.budget, err = strconv.ParseInt(text, 10, 64); err != nil || o.budget < 1 {
			err = errors.New("it takes a whole number of 1 or more")
		}
		return err
	})
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

// choose selects rows once.
func choose(batch *cupel.Batch, policy cupel.Policy, request cupel.Request) (*cupel.Selection, error) {
	selector, err := cupel.NewSelector(policy)
	if err != nil {
		return nil, err
	}
	defer selector.Close()
	selection := new(cupel.Selection)
	return selection, selector.Select(batch, request, selection)
}

// printBest prints the table of the best rows.
func printBest(out io.Writer, batch *cupel.Batch, scorer *cupel.Scorer, o options) error {
	policy := cupel.Policy{Scorer: scorer, Slicer: cupel.SlicerRanked, Placer: cupel.Ranked, KeepDuplicates: true}
	best, err := choose(batch, policy, cupel.Request{MaxTokens: math.MaxInt64, MaxRows: o.best})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%4s  %8s  %7s  %-*s  %5s  %s\n", "rank", "score", "tokens", kindWidth, "kind", "age", "content")
	for i, row := range best.Rows {
		item, err := batch.Item(row)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%4d  %8.6f  %7d  %-*s  %5s  %s\n", i+1, best.Scores[row], item.Tokens,
			kindWidth, words(item.Kind, kindWidth), age(o.now, item.Timestamp), words(item.Content, contentWidth))
	}
	fmt.Fprintf(out, "%d of %d items\n", len(best.Rows), batch.Len())
	return nil
}

// printBudget prints the best rows that fit, in the order of the batch, a tool
// call with its results; and then the best of those that were dropped.
func printBudget(out io.Writer, batch *cupel.Batch, scorer *cupel.Scorer, o options) error {
	kept, err := choose(batch,
		cupel.Policy{Scorer: scorer, Slicer: cupel.SlicerRanked, Placer: cupel.BatchOrder, PinnedFirst: true, GroupKey: "cupel:group"},
		cupel.Request{MaxTokens: o.budget})
	if err != nil {
		return err
	}
	if o.json {
		printJSON(out, kept.Scores, kept.Reasons)
		return nil
	}
	ranked, err := choose(batch,
		cupel.Policy{Slicer: cupel.SlicerRanked, Placer: cupel.Ranked, KeepDuplicates: true},
		cupel.Request{MaxTokens: math.MaxInt64, Scores: kept.Scores})
	if err != nil {
		return err
	}

	fmt.Fprintf(out, "kept, in the order of the prompt\n%4s  %8s  %7s  %-*s  %5s  %-*s  %s\n",
		"row", "score", "tokens", kindWidth, "kind", "age", reasonWidth, "why", "content")
	print := func(row int) error {
		item, err := batch.Item(row)
		if err != nil {
			return err
		}
		why := kept.Reasons[row].String()
		if kept.Reasons[row] == cupel.ReasonDuplicate {
			why = fmt.Sprintf("same as %d", kept.Causes[row])
		}
		fmt.Fprintf(out, "%4d  %8.6f  %7d  %-*s  %5s  %-*s  %s\n", row, kept.Scores[row], item.Tokens, kindWidth,
			words(item.Kind, kindWidth), age(o.now, item.Timestamp), reasonWidth, why, words(item.Content, budgetWidth))
		return nil
	}
	for _, row := range kept.Rows {
		if err := print(row); err != nil {
			return err
		}
	}
	dropped := slices.DeleteFunc(ranked.Rows, func(row int) bool { return kept.Reasons[row].Kept() })
	if len(dropped) > 0 {
		fmt.Fprint(out, "\ndropped, best first\n")
	}
	for _, row := range dropped[:min(o.best, len(dropped))] {
		if err := print(row); err != nil {
			return err
		}
	}
	if len(dropped) > o.best {
		fmt.Fprintf(out, "and %d more\n", len(dropped)-o.best)
	}
	fmt.Fprintf(out, "\n%s  %d of %d tokens, %d of them pinned (=)\n%d of %d items\n",
		bar(kept, o.budget), kept.KeptTokens, o.budget, kept.PinnedTokens, len(kept.Rows), batch.Len())
	return nil
}

// bar is the budget as a bar; what takes part of it has a character at least.
func bar(kept *cupel.Selection, budget int64) string {
	cells := func(tokens int64) int {
		if tokens == 0 {
			return 0
		}
		return max(1, int(float64(tokens)/float64(budget)*barWidth))
	}
	pinned := cells(kept.PinnedTokens)
	others := min(cells(kept.KeptTokens-kept.PinnedTokens), barWidth-pinned)
	return "[" + strings.Repeat("=", pinned) + strings.Repeat("#", others) + strings.Repeat(".", barWidth-pinned-others) + "]"
}

func printJSON(out io.Writer, scores []float64, reasons []cupel.Reason) {
	for row, score := range scores {
		text := strconv.FormatFloat(score, 'g', -1, 64)
		if math.IsInf(score, 0) || math.IsNaN(score) {
			text = "null" // JSON has no infinity
		}
		fmt.Fprintf(out, "{\"row\":%d,\"score\":%s", row, text)
		if reasons != nil {
			fmt.Fprintf(out, ",\"kept\":%t,\"reason\":%q", reasons[row].Kept(), reasons[row])
		}
		fmt.Fprintln(out, "}")
	}
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
