package io.twinbell.node.api.access;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.access.Permission;
import io.twinbell.node.access.Principal;
import io.twinbell.node.access.token.ConsoleSessions;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.AccessRule.AppScope;
import io.twinbell.node.api.exchange.Caller;
import io.twinbell.node.api.exchange.ProblemException;
import io.twinbell.node.api.exchange.ProblemType;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import java.util.List;
import java.util.Optional;

/** Routes that exchange a token for a session of the web console, and that say who the caller is. */
public final class SessionRoutes {
    private static final String SESSION = "/api/v1/session";

    private final ApiAccess access;

    public SessionRoutes(ApiAccess access) {
        this.access = access;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(SESSION, AccessRule.OPEN_IN_PART, this::show),
                // The token is in the header, so that a wrong one is refused, delayed and counted like any other.
                Route.post(SESSION, AccessRule.read(AppScope.FILTERED), this::begin),
                Route.delete(SESSION, AccessRule.OPEN, this::end));
    }

    private void show(Context context) {
        Principal principal = Caller.of(context).principal();
        boolean isAnonymous = access.policy().isAnonymous(principal);
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("principal", principal.name());
        json.put("signedIn", !isAnonymous && !principal.equals(Principal.NOBODY));
        json.put("needsToken", !access.policy().isOpen());
        json.put("signInPage", access.signIn().isPresent() ? SignInRoutes.BEGIN : null);
        json.put(
                "role",
                principal.equals(Principal.NOBODY) ? null : principal.role().name());
        ArrayNode permissions = json.putArray("permissions");
        for (Permission permission : Permission.values()) {
            if (!principal.equals(Principal.NOBODY) && principal.may(permission)) {
                permissions.add(permission.name());
            }
        }
        principal.apps().stream().sorted().forEach(json.putArray("apps")::add);
        principal.grants().stream()
                .sorted()
                .forEach(grant -> json.withArray("grants").add(grant.name()));
        json.withArray("grants");
        ResponseWriter.json(context, 200, json);
    }

    private void begin(Context context) {
        String header = context.header("Authorization");
        Optional<String> cookie = header == null
                ? Optional.empty()
                : AccessCheck.credentials(header).flatMap(access.sessions()::begin);
        context.header(
                "Set-Cookie",
                SessionCookie.begin(
                        cookie.orElseThrow(() -> new ProblemException(
                                ProblemType.INVALID_REQUEST,
                                "a session needs a token of Twinbell's own in the header Authorization: Bearer TOKEN")),
                        ConsoleSessions.LIFE,
                        context.req().isSecure()));
        show(context);
    }

    private void end(Context context) {
        context.header("Set-Cookie", SessionCookie.end(context.req().isSecure()));
        context.status(204);
    }
}
