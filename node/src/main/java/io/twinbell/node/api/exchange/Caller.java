package io.twinbell.node.api.exchange;

import io.javalin.http.Context;
import io.twinbell.node.access.Principal;

/** Who sends a request, and the address that it came from. */
public record Caller(Principal principal, String address) {
    private static final String ATTRIBUTE = Caller.class.getName();

    /** Returns the caller of an admitted request. */
    public static Caller of(Context context) {
        Caller caller = context.attribute(ATTRIBUTE);
        if (caller == null) {
            throw new IllegalStateException("no gate has admitted this request");
        }
        return caller;
    }

    /** Sets the caller of the request. */
    public void attach(Context context) {
        context.attribute(ATTRIBUTE, this);
    }

    @Override
    public String toString() {
        return principal.name() + " at " + address;
    }
}
