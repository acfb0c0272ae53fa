package io.twinbell.node.api;

/** The port that the API should listen on belongs to another process. */
public final class PortTakenException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PortTakenException(HttpApi.Address address, Throwable cause) {
        super(
                "port " + address.port() + " on " + address.host()
                        + " is taken by another process: stop it, or choose another port with http.port",
                cause);
    }
}
