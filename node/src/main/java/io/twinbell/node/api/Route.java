package io.twinbell.node.api;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Handler;
import io.javalin.http.HandlerType;
import java.util.Set;

/**
 * One method of one path. A path's parameters stand in braces, as OpenAPI writes them.
 *
 * @param parameters every query parameter that the route reads; a request with any other is refused
 */
record Route(HandlerType method, String path, Handler handler, Set<String> parameters) {
    static Route get(String path, Handler handler, String... parameters) {
        return new Route(HandlerType.GET, path, handler, Set.of(parameters));
    }

    static Route post(String path, Handler handler, String... parameters) {
        return new Route(HandlerType.POST, path, handler, Set.of(parameters));
    }

    static Route put(String path, Handler handler, String... parameters) {
        return new Route(HandlerType.PUT, path, handler, Set.of(parameters));
    }

    static Route patch(String path, Handler handler, String... parameters) {
        return new Route(HandlerType.PATCH, path, handler, Set.of(parameters));
    }

    static Route delete(String path, Handler handler, String... parameters) {
        return new Route(HandlerType.DELETE, path, handler, Set.of(parameters));
    }

    /** HEAD answers like GET, without the body; left to itself the server would answer 200 whatever the state. */
    void register(RoutesConfig routes) {
        Handler checked = context -> {
            QueryParameters.check(context, parameters);
            context.pathParamMap().forEach(Route::checkName);
            handler.handle(context);
        };
        routes.addHttpHandler(method, path, checked);
        if (method == HandlerType.GET) {
            routes.addHttpHandler(HandlerType.HEAD, path, checked);
        }
    }

    /** What cannot be decoded, or cannot be stored, is no name of anything. */
    private static void checkName(String parameter, String text) {
        if (text.indexOf('\ufffd') >= 0 || text.chars().anyMatch(Character::isISOControl)) {
            throw new ProblemException(
                    ProblemType.INVALID_REQUEST,
                    "the " + parameter + " in the path is not percent-encoded UTF-8, or has control characters");
        }
    }
}
