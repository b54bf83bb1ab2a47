package graphql

import "reflect"

// Field builds a query for one field, whose arguments are known only at run
// time: GitHub treats an argument that is null otherwise than one that is left
// out. path is the way to the field, in GraphQL:
//
//	query, rows := graphql.Field[wireRows](
//		"repository(owner: $owner, name: $name)", "discussions(first: $first, states: $states)")
//
// The query goes to Client.Query; after that, found() is the field, nil when
// it or a field above it is null.
func Field[T any](path ...string) (query any, found func() *T) {
	typ := reflect.TypeFor[T]()
	for i := len(path) - 1; i >= 0; i-- {
		typ = reflect.StructOf([]reflect.StructField{{
			Name: "Field", Type: reflect.PointerTo(typ), Tag: reflect.StructTag(`graphql:"` + path[i] + `"`),
		}})
	}
	root := reflect.New(typ)
	return root.Interface(), func() *T {
		value := root.Elem()
		for range path {
			value = value.Field(0)
			if value.IsNil() {
				return nil
			}
			value = value.Elem()
		}
		return value.Addr().Interface().(*T) //nolint:forcetypeassert // the path ends in the T it was made of
	}
}
