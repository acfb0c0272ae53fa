package io.twinbell.node.api;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Handler;
import io.javalin.http.HandlerType;

/** One method of one path. A path's parameters stand in braces, as OpenAPI writes them. */
record Route(HandlerType method, String path, Handler handler) {
    static Route get(String path, Handler handler) {
        return new Route(HandlerType.GET, path, handler);
    }

    static Route post(String path, Handler handler) {
        return new Route(HandlerType.POST, path, handler);
    }

    static Route put(String path, Handler handler) {
        return new Route(HandlerType.PUT, path, handler);
    }

    static Route patch(String path, Handler handler) {
        return new Route(HandlerType.PATCH, path, handler);
    }

    static Route delete(String path, Handler handler) {
        return new Route(HandlerType.DELETE, path, handler);
    }

    /** HEAD answers like GET, without the body; left to itself the server would answer 200 whatever the state. */
    void register(RoutesConfig routes) {
        routes.addHttpHandler(method, path, handler);
        if (method == HandlerType.GET) {
            routes.addHttpHandler(HandlerType.HEAD, path, handler);
        }
    }
}
