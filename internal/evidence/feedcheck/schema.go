package feedcheck

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"mkt/docs"
)

//go:embed faults.csv
var faultsCSV string

// fault is a line of faults.csv.
type fault struct {
	level     string
	match     *regexp.Regexp // finds a violation of the schema by its keyword, path and value; the first line counts
	what, fix string
}

// checker collects what is wrong with answers.
type checker struct {
	faults   map[string]fault
	codes    []string // in the order of the lines
	compiler *jsonschema.Compiler

	checked   int // answers
	findings  []Finding
	at        map[string]int        // the places in findings, by code and path
	places    map[string]bool       // those that were counted
	ids       map[string]identified // of the answers before
	handicaps map[string]bool       // places of markets that claim to be one
	tagged    map[string]string     // hashes of bodies, by name and entity tag
	prices    map[string]priced     // of fixtures, in the answers before
	listed    map[string]bool       // the fixtures of the list before, if it is complete
}

// maxViolations is how many violations of the schema are looked at in an answer.
const maxViolations = 1000

const schemaFile = "feed.schema.json"

func newChecker() (*checker, error) {
	c := &checker{faults: map[string]fault{}, compiler: jsonschema.NewCompiler(), at: map[string]int{}, places: map[string]bool{},
		ids: map[string]identified{}, handicaps: map[string]bool{}, tagged: map[string]string{}, prices: map[string]priced{}}
	rows, err := csv.NewReader(strings.NewReader(faultsCSV)).ReadAll()
	if err != nil {
		return nil, err
	}
	for _, row := range rows[1:] {
		c.faults[row[0]] = fault{row[1], regexp.MustCompile(row[2]), row[3], row[4]}
		c.codes = append(c.codes, row[0])
	}
	text, err := docs.Files.ReadFile(schemaFile)
	if err != nil {
		return nil, err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	c.compiler.AssertFormat()
	escape := regexp.MustCompile(`\\u([0-9a-f]{4})`) // regexp has another syntax for it
	c.compiler.UseRegexpEngine(func(s string) (jsonschema.Regexp, error) {
		return regexp.Compile(escape.ReplaceAllString(s, `\x{$1}`))
	})
	return c, c.compiler.AddResource(schemaFile, document)
}

// schema adds where an answer is not as the schema says.
func (c *checker) schema(a *answer) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.body))
	schema, unknown := c.compiler.Compile(schemaFile + "#/$defs/" + a.endpoint)
	var invalid *jsonschema.ValidationError
	switch members, isObject := document.(map[string]any); {
	case a.status != http.StatusOK:
		c.add("STATUS", a, "", a.status, http.StatusText(a.status))
	case a.rejected != "" && (a.cut || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)):
		return // the archive does not have all of it; why it was rejected says more
	case err != nil:
		c.add("NOT_JSON", a, ".", err)
	case isObject && len(members) == 0:
		c.add("EMPTY_ANSWER", a, ".")
	case unknown != nil:
		c.add("NOT_AN_ANSWER", a, ".")
	case errors.As(schema.Validate(document), &invalid):
		list := violations(invalid, nil, nil)
		slices.SortFunc(list, func(x, y violation) int { return strings.Compare(x.key, y.key) })
		for _, v := range list[:min(len(list), maxViolations)] {
			value, path := locate(document, v.path)
			shown, _ := json.Marshal(value)
			if len(shown) > 60 {
				shown = append(bytes.ToValidUTF8(shown[:57], nil), "..."...)
			}
			at := strings.Join(v.kind.KeywordPath(), " ") + " " + path + " " + string(shown)
			i := slices.IndexFunc(c.codes, func(code string) bool { return c.faults[code].match.MatchString(at) })
			c.add(c.codes[i], a, path, string(shown), strings.Trim(string(shown), `"`), v.kind.LocalizedString(english))
		}
	}
}

var english = message.NewPrinter(language.English)

// violation is a place where an answer is not as the schema says. They are in the order of their keys.
type violation struct {
	path []string
	kind jsonschema.ErrorKind
	key  string
}

// violations adds those that an error consists of to a list.
func violations(e *jsonschema.ValidationError, parent []string, list []violation) []violation {
	v := violation{path: e.InstanceLocation, kind: e.ErrorKind}
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		for _, below := range e.Causes {
			list = violations(below, e.InstanceLocation, list)
		}
		return list
	case *kind.PropertyNames:
		v.path = parent // its own is not kept by the library
	case *kind.AdditionalProperties:
		slices.Sort(k.Properties)
	}
	for _, name := range v.path {
		v.key += fmt.Sprintf("%20s", name) // numbers in their order
	}
	v.key += strings.Join(v.kind.KeywordPath(), " ")
	return append(list, v)
}

var isPlain = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString

// locate returns the value at a path, and the path as jq takes it.
func locate(value any, path []string) (any, string) {
	text := "."
	for i, name := range path {
		switch of := value.(type) {
		case []any:
			at, _ := strconv.Atoi(name)
			value, text = of[at], text+"["+name+"]"
		case map[string]any:
			if value = of[name]; !isPlain(name) {
				name = strconv.Quote(name)
			}
			text += map[bool]string{true: ".", false: ""}[i > 0] + name
		}
	}
	return value, text
}
