package io.twinbell.node.api.access;

/**
 * Limits of the HTTP API. They bound what a faulty client can use up, far above what a working one needs, so they are
 * no settings.
 *
 * @param connectionsOfAddress open connections of an address; of IPv6, of a /64 network
 * @param pendingOfClient requests of a token or address that may run or wait
 * @param rateOfAddress requests of an address in a second
 * @param rateOfToken requests of a token in a second
 */
public record HttpLimits(
        int connections, int connectionsOfAddress, int pendingOfClient, int rateOfAddress, int rateOfToken) {
    public static final HttpLimits DEFAULT = new HttpLimits(2000, 1000, 500, 10_000, 5000);
}
