package cluster

import "context"

type idempotentKey struct{}

// WithIdempotent returns a context that says whether its request may be sent again after it may have been
// executed, whatever the operation table says.
func WithIdempotent(ctx context.Context, idempotent bool) context.Context {
	return context.WithValue(ctx, idempotentKey{}, idempotent)
}

func idempotentFrom(ctx context.Context) (idempotent, ok bool) {
	idempotent, ok = ctx.Value(idempotentKey{}).(bool)
	return idempotent, ok
}

type routingKey struct{}

// WithRoutingKey returns a context whose requests carry the key to the balancer, which may keep
// requests of one key on one node.
func WithRoutingKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, routingKey{}, key)
}

func routingKeyFrom(ctx context.Context) string {
	key, _ := ctx.Value(routingKey{}).(string)
	return key
}
