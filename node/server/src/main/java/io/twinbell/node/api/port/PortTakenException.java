package io.twinbell.node.api.port;

/** Thrown if another process uses the API's port. */
public final class PortTakenException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private PortTakenException(String host, int port, String key, Throwable cause) {
        super(
                "port " + port + " on " + host + " is taken by another process: stop it, or choose another port with "
                        + key,
                cause);
    }

    /** Jetty's message ends with the address that it could not bind to. */
    public static PortTakenException of(ApiAddress address, Throwable failure) {
        ApiAddress.HealthAddress health = address.health();
        for (Throwable cause = failure; cause != null && health != null; cause = cause.getCause()) {
            if (String.valueOf(cause.getMessage()).endsWith(":" + health.port())) {
                return new PortTakenException(health.host(), health.port(), "http.health.port", failure);
            }
        }
        return new PortTakenException(address.host(), address.port(), "http.port", failure);
    }
}
