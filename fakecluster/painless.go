package fakecluster

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The part of Painless that is emulated: assignments (= += -= *= /= %=) to fields, elements and variables,
// if and else, def, throw, the operators ?: ?. || && == != < <= > >= + - * / % ! instanceof, literals, and the methods
// of maps, lists, strings and numbers in methods.go. Integers are 64 bits wide.

type names = map[string]any // names a script sees: ctx, params and its variables

// expression computes a value; statement does something.
type (
	expression func(names) (any, error)
	statement  func(names) error
)

// place is something to assign to.
type place struct {
	get expression
	set func(names, any) error
}

var scriptToken = regexp.MustCompile(`\s+|//[^\n]*|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?[LlFfDd]?|[A-Za-z_]\w*|\?\.|\?:|\|\||&&|[=!<>]=|\+\+|--|[-+*/%]=|[-+*/%=<>!?:;,.(){}\[\]]`)

type scriptParser struct {
	tokens []string
	at     int
}

// compileScript parses the whole script before anything runs.
func compileScript(text string) (run statement, err error) {
	p := &scriptParser{}
	for rest := text; rest != ""; {
		loc := scriptToken.FindStringIndex(rest)
		if loc == nil || loc[0] != 0 {
			return nil, fmt.Errorf("unexpected character [%.1s]", rest)
		}
		if tok := rest[:loc[1]]; strings.TrimSpace(tok) != "" && !strings.HasPrefix(tok, "//") {
			p.tokens = append(p.tokens, tok)
		}
		rest = rest[loc[1]:]
	}
	defer func() {
		if e, ok := recover().(scriptSyntax); ok {
			err = errors.New(string(e))
		}
	}()
	return p.statements(""), nil
}

// scriptSyntax is what the parser panics with; compileScript turns it into an error.
type scriptSyntax string

func (p *scriptParser) fail() {
	panic(scriptSyntax("unexpected token [" + p.peek() + "]"))
}

func (p *scriptParser) peek() string {
	if p.at < len(p.tokens) {
		return p.tokens[p.at]
	}
	return "<EOF>"
}

func (p *scriptParser) next() string {
	t := p.peek()
	p.at++
	return t
}

func (p *scriptParser) accept(tokens ...string) bool {
	ok := slices.Contains(tokens, p.peek())
	if ok {
		p.at++
	}
	return ok
}

func (p *scriptParser) want(token string) {
	if !p.accept(token) {
		p.fail()
	}
}

// statements parses up to the closing token, which it consumes; "" is the end of the script.
func (p *scriptParser) statements(closing string) statement {
	var list []statement
	for p.at < len(p.tokens) && p.peek() != closing {
		if !p.accept(";") {
			list = append(list, p.statement())
		}
	}
	if closing != "" {
		p.want(closing)
	}
	return func(s names) error {
		for _, do := range list {
			if err := do(s); err != nil {
				return err
			}
		}
		return nil
	}
}

func (p *scriptParser) statement() statement {
	switch {
	case p.accept("{"):
		return p.statements("}")
	case p.accept("if"):
		return p.conditional()
	case p.accept("def", "int", "long", "double", "boolean", "String", "Map", "List"):
		name := p.next()
		p.want("=")
		value := p.expression()
		return func(s names) error { return assign(s, name, value) }
	case p.accept("throw"):
		return p.throw()
	}
	return p.assignment()
}

// throw is throw new SomeException(message).
func (p *scriptParser) throw() statement {
	p.want("new")
	p.next()
	p.want("(")
	args := p.list(")")
	return func(s names) error {
		if len(args) == 0 {
			return errors.New("exception")
		}
		message, err := args[0](s)
		if err != nil {
			return err
		}
		return errors.New(text(message))
	}
}

func assign(s names, name string, value expression) error {
	v, err := value(s)
	s[name] = v
	return err
}

func (p *scriptParser) conditional() statement {
	p.want("(")
	test := p.expression()
	p.want(")")
	then, otherwise := p.statement(), statement(func(names) error { return nil })
	p.accept(";")
	if p.accept("else") {
		otherwise = p.statement()
	}
	return func(s names) error {
		yes, err := truth(test, s)
		switch {
		case err != nil:
			return err
		case yes:
			return then(s)
		}
		return otherwise(s)
	}
}

func truth(e expression, s names) (bool, error) {
	v, err := e(s)
	b, ok := v.(bool)
	if err == nil && !ok {
		err = fmt.Errorf("cannot cast [%T] to boolean", v)
	}
	return b, err
}

// assignment is an assignment, or an expression for its effect.
func (p *scriptParser) assignment() statement {
	target := p.postfix()
	op := p.peek()
	switch op {
	case "=", "+=", "-=", "*=", "/=", "%=":
		p.next()
		return target.assign(strings.TrimSuffix(op, "="), p.expression())
	case "++", "--":
		p.next()
		return target.assign(op[:1], func(names) (any, error) { return int64(1), nil })
	}
	return func(s names) error {
		_, err := target.get(s)
		return err
	}
}

func (pl place) assign(op string, value expression) statement {
	if pl.set == nil {
		panic(scriptSyntax("cannot assign a value to a read-only expression"))
	}
	return func(s names) error {
		v, err := value(s)
		if err == nil && op != "" {
			var old any
			if old, err = pl.get(s); err == nil {
				v, err = operate(op, old, v)
			}
		}
		if err != nil {
			return err
		}
		return pl.set(s, v)
	}
}

// levels are the binary operators from the weakest to the strongest.
var levels = [][]string{{"||"}, {"&&"}, {"==", "!="}, {"<", "<=", ">", ">="}, {"+", "-"}, {"*", "/", "%"}}

// expression is a conditional or a binary expression.
func (p *scriptParser) expression() expression {
	test := p.binary(0)
	switch {
	case p.accept("?:"):
		otherwise := p.expression()
		return func(s names) (any, error) {
			if v, err := test(s); v != nil || err != nil {
				return v, err
			}
			return otherwise(s)
		}
	case p.accept("?"):
		yes := p.expression()
		p.want(":")
		no := p.expression()
		return func(s names) (any, error) {
			b, err := truth(test, s)
			switch {
			case err != nil:
				return nil, err
			case b:
				return yes(s)
			}
			return no(s)
		}
	}
	return test
}

func (p *scriptParser) binary(level int) expression {
	if level == len(levels) {
		return p.unary()
	}
	left := p.binary(level + 1)
	if level == relational && p.accept("instanceof") {
		return p.instance(left)
	}
	for slices.Contains(levels[level], p.peek()) {
		left = join(p.next(), left, p.binary(level+1))
	}
	return left
}

// relational is the level of < and instanceof.
const relational = 3

// instance is instanceof List, Map, String or Number.
func (p *scriptParser) instance(of expression) expression {
	class := p.next()
	return func(s names) (any, error) {
		v, err := of(s)
		is := false
		switch v.(type) {
		case []any:
			is = class == "List"
		case map[string]any:
			is = class == "Map"
		case string:
			is = class == "String"
		case int64, float64:
			is = class == "Number"
		}
		return is, err
	}
}

func join(op string, left, right expression) expression {
	return func(s names) (any, error) {
		if op == "&&" || op == "||" {
			l, err := truth(left, s)
			if err != nil || l == (op == "||") {
				return l, err
			}
			return truth(right, s)
		}
		l, err := left(s)
		if err != nil {
			return nil, err
		}
		r, err := right(s)
		if err != nil {
			return nil, err
		}
		return operate(op, l, r)
	}
}

func (p *scriptParser) unary() expression {
	switch {
	case p.accept("!"):
		e := p.unary()
		return func(s names) (any, error) {
			b, err := truth(e, s)
			return !b, err
		}
	case p.accept("-"):
		e := p.unary()
		return func(s names) (any, error) {
			v, err := e(s)
			if err != nil {
				return nil, err
			}
			return operate("-", int64(0), v)
		}
	}
	return p.postfix().get
}

// postfix is a value with .name, ?.name, [index] and .method() behind it.
func (p *scriptParser) postfix() place {
	at := p.primary()
	for {
		switch {
		case p.accept("."):
			at = p.member(at, false)
		case p.accept("?."):
			at = p.member(at, true)
		case p.accept("["):
			index := p.expression()
			p.want("]")
			at = element(at, index, false)
		default:
			return at
		}
	}
}

func (p *scriptParser) member(of place, safe bool) place {
	name := p.next()
	if p.accept("(") {
		args := p.list(")")
		return place{get: func(s names) (any, error) { return callMethod(s, of, name, args, safe) }}
	}
	return element(of, func(names) (any, error) { return name, nil }, safe)
}

func (p *scriptParser) list(closing string) []expression {
	var list []expression
	for !p.accept(closing) {
		list = append(list, p.expression())
		if !p.accept(",") {
			p.want(closing)
			break
		}
	}
	return list
}

func (p *scriptParser) primary() place {
	t := p.next()
	switch {
	case t == "(":
		e := p.expression()
		p.want(")")
		return place{get: e}
	case t == "[" && p.accept(":"):
		p.want("]")
		return place{get: func(names) (any, error) { return map[string]any{}, nil }}
	case t == "[":
		return listLiteral(p.list("]"))
	case t == "null" && (p.peek() == "." || p.peek() == "["):
		panic(scriptSyntax("field [java.lang.Object, " + p.next() + "] not found"))
	case t == "null" || t == "true" || t == "false":
		return constant(map[string]any{"null": nil, "true": true, "false": false}[t])
	case t[0] == '\'' || t[0] == '"':
		return constant(unescapeText(t[1 : len(t)-1]))
	case t[0] >= '0' && t[0] <= '9':
		return constant(scriptNumber(t))
	case isName(t):
		return variable(t)
	}
	p.at--
	p.fail()
	return place{}
}

var namePattern = regexp.MustCompile(`^[A-Za-z_]\w*$`)

func isName(t string) bool { return namePattern.MatchString(t) }

func constant(v any) place {
	return place{get: func(names) (any, error) { return v, nil }}
}

func variable(name string) place {
	return place{
		get: func(s names) (any, error) {
			v, ok := s[name]
			if !ok {
				return nil, errors.New("cannot resolve symbol [" + name + "]")
			}
			return v, nil
		},
		set: func(s names, v any) error {
			s[name] = v
			return nil
		},
	}
}

func listLiteral(items []expression) place {
	return place{get: func(s names) (any, error) {
		list := make([]any, len(items))
		for i, item := range items {
			v, err := item(s)
			if err != nil {
				return nil, err
			}
			list[i] = v
		}
		return list, nil
	}}
}

func scriptNumber(t string) any {
	digits := strings.TrimRight(t, "LlFfDd")
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil && !strings.ContainsAny(t, "FfDd") {
		return n
	}
	x, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		panic(scriptSyntax("invalid number [" + t + "]"))
	}
	return x
}

func unescapeText(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\'`, `'`, `\"`, `"`, `\n`, "\n", `\t`, "\t").Replace(s)
}
