package io.twinbell.node.access;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * Tells clients without credentials apart. One machine often has a whole /64 network of IPv6 addresses, so all of its
 * addresses count as one client.
 */
public final class ClientNetwork {
    private static final int PREFIX_BYTES = 8;

    private ClientNetwork() {}

    /**
     * Returns the /64 network of an IPv6 address, and any other address as it is.
     *
     * @param address as Jetty and the JDK write it: an IPv6 address with or without brackets and zone
     */
    public static String of(String address) {
        if (address == null || address.indexOf(':') < 0) {
            return String.valueOf(address);
        }
        try {
            byte[] bytes = InetAddress.getByName(address).getAddress();
            if (bytes.length <= PREFIX_BYTES) {
                // An IPv4 address that was written as an IPv6 address.
                return InetAddress.getByAddress(bytes).getHostAddress();
            }
            Arrays.fill(bytes, PREFIX_BYTES, bytes.length, (byte) 0);
            return InetAddress.getByAddress(bytes).getHostAddress() + "/64";
        } catch (UnknownHostException e) {
            return address;
        }
    }
}
