package io.twinbell.node.api.exchange;

import io.javalin.http.Context;
import io.twinbell.node.access.AccessRole;
import io.twinbell.node.access.ClientNetwork;
import io.twinbell.node.access.Principal;
import io.twinbell.persistence.actor.Actor;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Who sends a request, and the address that it came from.
 *
 * @param isAnonymous whether the request says nothing about its sender, while others do
 * @param now finds the principal of the same credentials again; for requests that are answered for a long time
 */
public record Caller(Principal principal, String address, boolean isAnonymous, Supplier<Optional<Principal>> now) {
    private static final String ATTRIBUTE = Caller.class.getName();
    private static final String COMMAND_LINE = "twinbell-cli";

    /** Returns the caller of an admitted request. */
    public static Caller of(Context context) {
        Caller caller = context.attribute(ATTRIBUTE);
        if (caller == null) {
            throw new IllegalStateException("no gate has admitted this request");
        }
        return caller;
    }

    static Optional<Caller> ifAdmitted(Context context) {
        return Optional.ofNullable(context.attribute(ATTRIBUTE));
    }

    /** A client that is not recognized; the audit shows it under that name. */
    public static Caller unknown(String name, String address) {
        return new Caller(new Principal(name, AccessRole.VIEWER, Set.of(), Set.of()), address, true, Optional::empty);
    }

    /** Whether the credentials still give the rights that they gave when the request began. Any thread. */
    public boolean hasSameRights() {
        return now.get().filter(principal::equals).isPresent();
    }

    /** The name under which the use of shared resources is counted: of the principal, or of the network. */
    public String client() {
        return isAnonymous || principal == Principal.ANYBODY ? ClientNetwork.of(address) : principal.name();
    }

    /** Sets the caller of the request. */
    public void attach(Context context) {
        context.attribute(ATTRIBUTE, this);
    }

    /** The actor of changes that the request leads to. The command line names itself in {@code User-Agent}. */
    Actor actor(Context context, String request) {
        String agent = context.header("User-Agent");
        boolean isCommandLine = agent != null && agent.startsWith(COMMAND_LINE);
        return new Actor(
                principal.name(),
                isCommandLine ? Actor.Channel.CLI : Actor.Channel.HTTP,
                address,
                request,
                principal.lacking());
    }

    @Override
    public String toString() {
        return principal.name() + " at " + address;
    }
}
