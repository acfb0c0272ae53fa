package io.twinbell.node.api.exchange;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.javalin.http.HandlerType;
import io.twinbell.node.json.ControlCharacters;
import io.twinbell.persistence.actor.Actor;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One HTTP method on one path. Path parameters are in braces, as in OpenAPI.
 *
 * @param access what the principal needs
 * @param parameters every query parameter that the route reads; a request with any other is refused
 */
public record Route(HandlerType method, String path, AccessRule access, Handler handler, Set<String> parameters) {
    private static final Logger LOG = LoggerFactory.getLogger(Route.class);
    private static final int LONGEST_SHOWN = 300;
    private static final Set<String> ORDINARY = Set.of(
            "/api/v1/tasks",
            "/api/v1/tasks/batch",
            "/api/v1/apps/{app}/tasks/{name}",
            "/api/v1/tasks/{id}",
            "/api/v1/executions/{id}/complete",
            "/api/v1/executions/{id}/heartbeat",
            "/api/v1/schedules/preview");

    /** Decides about each request before its handler runs, and leaves the request's {@link Caller}. */
    @FunctionalInterface
    public interface AccessGate {
        /** @throws ProblemException if the request is refused */
        void admit(Context context, Route route);
    }

    public static Route get(String path, AccessRule access, Handler handler, String... parameters) {
        return new Route(HandlerType.GET, path, access, handler, Set.of(parameters));
    }

    public static Route post(String path, AccessRule access, Handler handler, String... parameters) {
        return new Route(HandlerType.POST, path, access, handler, Set.of(parameters));
    }

    public static Route put(String path, AccessRule access, Handler handler, String... parameters) {
        return new Route(HandlerType.PUT, path, access, handler, Set.of(parameters));
    }

    public static Route patch(String path, AccessRule access, Handler handler, String... parameters) {
        return new Route(HandlerType.PATCH, path, access, handler, Set.of(parameters));
    }

    public static Route delete(String path, AccessRule access, Handler handler, String... parameters) {
        return new Route(HandlerType.DELETE, path, access, handler, Set.of(parameters));
    }

    /**
     * Registers the route. HEAD runs the handler of GET without the body; by default the server would answer HEAD with
     * 200 in every state.
     */
    public void register(RoutesConfig routes, AccessGate gate) {
        Handler checked = context -> {
            gate.admit(context, this);
            QueryParameters.check(context, parameters);
            context.pathParamMap().forEach(this::checkName);
            if (method == HandlerType.GET) {
                handler.handle(context);
            } else {
                Caller.of(context)
                        .actor(context, method + " " + shown(context.path(), null))
                        .perform(() -> {
                            giveReason(context);
                            handler.handle(context);
                        });
            }
            if (isLogged()) {
                LOG.info("{} {} by {}", method, shown(context.path(), context.queryString()), Caller.of(context));
            }
        };
        routes.addHttpHandler(method, path, checked);
        if (method == HandlerType.GET) {
            routes.addHttpHandler(HandlerType.HEAD, path, checked);
        }
    }

    /** A request without a body gives its reason in the query. */
    private void giveReason(Context context) {
        if (parameters.contains(ReasonBody.PARAMETER)) {
            Actor.giveReason(QueryParameters.of(context).line(ReasonBody.PARAMETER, ReasonBody.MAX_LENGTH));
        }
    }

    /** Whether requests are logged. Frequent requests of applications, such as adding tasks and previews, are not. */
    private boolean isLogged() {
        return method != HandlerType.GET
                && (path.equals(ApiPaths.TASKS) ? method == HandlerType.DELETE : !ORDINARY.contains(path));
    }

    private static String shown(String path, String query) {
        String whole = ControlCharacters.spaced(query == null ? path : path + "?" + query);
        return whole.length() <= LONGEST_SHOWN ? whole : whole.substring(0, LONGEST_SHOWN) + "…";
    }

    /** Refuses names that cannot be stored. The server has refused a path that is not UTF-8. */
    private void checkName(String parameter, String text) {
        if (text.indexOf('\ufffd') >= 0) {
            throw refusal(parameter, QueryParameters.LOST_CHARACTER);
        }
        // Only a PUT may store a new name; stored names with such characters can still be read and removed.
        if (text.chars().anyMatch(Character::isISOControl)
                || method == HandlerType.PUT && ControlCharacters.isIn(text)) {
            throw refusal(parameter, "contains " + ControlCharacters.NAMED);
        }
    }

    private static ProblemException refusal(String parameter, String reason) {
        return new ProblemException(ProblemType.INVALID_REQUEST, "the " + parameter + " in the path " + reason);
    }
}
