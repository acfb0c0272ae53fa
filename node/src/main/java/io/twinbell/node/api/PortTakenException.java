package io.twinbell.node.api;

/** Thrown if another process uses the API's port. */
public final class PortTakenException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PortTakenException(HttpApi.Address address, Throwable cause) {
        super(
                "port " + address.port() + " on " + address.host()
                        + " is taken by another process: stop it, or choose another port with http.port",
                cause);
    }
}
