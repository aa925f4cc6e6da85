package fakecluster

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

var errNull = errors.New("cannot access method/field from a null def reference")

// element is an entry of a map or list; safe makes a null owner give null.
func element(of place, key expression, safe bool) place {
	return place{
		get: func(s names) (any, error) {
			owner, k, err := both(s, of, key)
			if err != nil || owner == nil && safe {
				return nil, err
			}
			return entry(owner, k)
		},
		set: func(s names, v any) error {
			owner, k, err := both(s, of, key)
			if err != nil {
				return err
			}
			return setEntry(owner, k, v)
		},
	}
}

func both(s names, of place, key expression) (owner, k any, err error) {
	if owner, err = of.get(s); err != nil {
		return nil, nil, err
	}
	k, err = key(s)
	return owner, k, err
}

func entry(owner, k any) (any, error) {
	switch o := owner.(type) {
	case nil:
		return nil, errNull
	case map[string]any:
		return o[fmt.Sprint(k)], nil
	case []any:
		if i, ok := k.(int64); ok && i >= 0 && i < int64(len(o)) {
			return o[i], nil
		}
		if k == "length" {
			return int64(len(o)), nil
		}
	}
	return nil, fmt.Errorf("dynamic getter [%T, %v] not found", owner, k)
}

func setEntry(owner, k, v any) error {
	switch o := owner.(type) {
	case nil:
		return errNull
	case map[string]any:
		o[fmt.Sprint(k)] = v
		return nil
	case []any:
		if i, ok := k.(int64); ok && i >= 0 && i < int64(len(o)) {
			o[i] = v
			return nil
		}
	}
	return fmt.Errorf("dynamic setter [%T, %v] not found", owner, k)
}

func callMethod(s names, of place, name string, args []expression, safe bool) (any, error) {
	owner, err := of.get(s)
	if err != nil || owner == nil && safe {
		return nil, err
	}
	values := make([]any, len(args))
	for i, a := range args {
		if values[i], err = a(s); err != nil {
			return nil, err
		}
	}
	switch o := owner.(type) {
	case nil:
		return nil, errNull
	case map[string]any:
		return mapMethod(o, name, values)
	case []any:
		return listMethod(s, of, o, name, values)
	case string:
		return textMethod(o, name, values)
	case class:
		return mathMethod(name, values)
	case int64, float64:
		return numberMethod(o, name, values)
	}
	return nil, noMethod(owner, name, values)
}

// class is a class that scripts name: of Math there are the methods in mathMethod.
type class string

// classes are the names that every script knows.
var classes = names{"Math": class("Math"), "Locale": map[string]any{"ROOT": "ROOT"}}

func mathMethod(name string, args []any) (any, error) {
	if len(args) == 1 {
		if x, ok := float(args[0]); ok {
			switch name {
			case "round":
				return int64(math.Floor(x + 0.5)), nil
			case "abs":
				return math.Abs(x), nil
			}
		}
	}
	return nil, noMethod(classes["Math"], name, args)
}

func numberMethod(n any, name string, args []any) (any, error) {
	x, _ := float(n)
	switch fmt.Sprintf("%s/%d", name, len(args)) {
	case "longValue/0":
		if i, ok := n.(int64); ok {
			return i, nil
		}
		return int64(x), nil
	case "doubleValue/0":
		return x, nil
	case "toString/0":
		return text(n), nil
	}
	return nil, noMethod(n, name, args)
}

func noMethod(owner any, name string, args []any) error {
	return fmt.Errorf("dynamic method [%T, %s/%d] not found", owner, name, len(args))
}

func mapMethod(m map[string]any, name string, args []any) (any, error) {
	switch fmt.Sprintf("%s/%d", name, len(args)) {
	case "containsKey/1":
		_, ok := m[fmt.Sprint(args[0])]
		return ok, nil
	case "get/1":
		return m[fmt.Sprint(args[0])], nil
	case "getOrDefault/2":
		if v, ok := m[fmt.Sprint(args[0])]; ok {
			return v, nil
		}
		return args[1], nil
	case "remove/1":
		old := m[fmt.Sprint(args[0])]
		delete(m, fmt.Sprint(args[0]))
		return old, nil
	case "put/2":
		old := m[fmt.Sprint(args[0])]
		m[fmt.Sprint(args[0])] = args[1]
		return old, nil
	case "putAll/1":
		return nil, putAll(m, args[0])
	case "size/0":
		return int64(len(m)), nil
	case "isEmpty/0":
		return len(m) == 0, nil
	}
	return nil, noMethod(m, name, args)
}

func putAll(m map[string]any, v any) error {
	from, ok := v.(map[string]any)
	if !ok {
		return errNull
	}
	for k, e := range from {
		m[k] = e
	}
	return nil
}

// listMethod changes a list by assigning the changed one to where it came from.
func listMethod(s names, of place, l []any, name string, args []any) (any, error) {
	switch fmt.Sprintf("%s/%d", name, len(args)) {
	case "size/0":
		return int64(len(l)), nil
	case "isEmpty/0":
		return len(l) == 0, nil
	case "contains/1":
		return slices.ContainsFunc(l, func(e any) bool { return equalValues(e, args[0]) }), nil
	case "indexOf/1":
		return int64(slices.IndexFunc(l, func(e any) bool { return equalValues(e, args[0]) })), nil
	case "add/1":
		return true, of.set(s, append(slices.Clone(l), args[0]))
	case "remove/1":
		if i, ok := args[0].(int64); ok && i >= 0 && i < int64(len(l)) {
			return l[i], of.set(s, slices.Delete(slices.Clone(l), int(i), int(i)+1))
		}
	}
	return nil, noMethod(l, name, args)
}

func textMethod(t, name string, args []any) (any, error) {
	switch fmt.Sprintf("%s/%d", name, len(args)) {
	case "length/0":
		return int64(len([]rune(t))), nil
	case "toUpperCase/0", "toUpperCase/1":
		return strings.ToUpper(t), nil
	case "toLowerCase/0", "toLowerCase/1":
		return strings.ToLower(t), nil
	case "trim/0":
		return strings.TrimSpace(t), nil
	case "isEmpty/0":
		return t == "", nil
	case "contains/1":
		return strings.Contains(t, fmt.Sprint(args[0])), nil
	case "startsWith/1":
		return strings.HasPrefix(t, fmt.Sprint(args[0])), nil
	case "equals/1":
		return t == args[0], nil
	case "concat/1":
		return t + fmt.Sprint(args[0]), nil
	}
	return nil, noMethod(t, name, args)
}

// operate applies a binary operator.
func operate(op string, l, r any) (any, error) {
	switch op {
	case "==":
		return equalValues(l, r), nil
	case "!=":
		return !equalValues(l, r), nil
	}
	_, ls := l.(string)
	_, rs := r.(string)
	if op == "+" && (ls || rs) {
		return text(l) + text(r), nil
	}
	if a, ok := l.(int64); ok {
		if b, ok := r.(int64); ok {
			return operateInt(op, a, b)
		}
	}
	a, aok := float(l)
	b, bok := float(r)
	if !aok || !bok {
		return nil, fmt.Errorf("cannot apply [%s] operation to types [%T] and [%T]", op, l, r)
	}
	return operateFloat(op, a, b)
}

func text(v any) string {
	if v == nil {
		return "null"
	}
	return fmt.Sprint(v)
}

func float(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

func equalValues(l, r any) bool {
	a, aok := float(l)
	b, bok := float(r)
	if aok && bok {
		return a == b
	}
	return string(encode(l)) == string(encode(r))
}

func operateInt(op string, a, b int64) (any, error) {
	switch op {
	case "+":
		return a + b, nil
	case "-":
		return a - b, nil
	case "*":
		return a * b, nil
	case "/", "%":
		if b == 0 {
			return nil, errors.New("/ by zero")
		}
		if op == "%" {
			return a % b, nil
		}
		return a / b, nil
	}
	return ordered(op, a < b, a > b)
}

func operateFloat(op string, a, b float64) (any, error) {
	switch op {
	case "+":
		return a + b, nil
	case "-":
		return a - b, nil
	case "*":
		return a * b, nil
	case "/":
		return a / b, nil
	case "%":
		return math.Mod(a, b), nil
	}
	return ordered(op, a < b, a > b)
}

func ordered(op string, less, greater bool) (any, error) {
	switch op {
	case "<":
		return less, nil
	case "<=":
		return !greater, nil
	case ">":
		return greater, nil
	case ">=":
		return !less, nil
	}
	return nil, fmt.Errorf("unknown operator [%s]", op)
}
