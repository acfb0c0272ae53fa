package io.twinbell.node.config;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;

/** A range of IP addresses in CIDR notation, such as {@code 10.0.0.0/8} or {@code fe80::/10}. */
public record AddressRange(InetAddress first, int bits) {
    /** Excludes names, because parsing must not look up names. */
    private static final Pattern LITERAL =
            Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*");

    private static final byte[] NAT64 = {0, 0x64, (byte) 0xff, (byte) 0x9b, 0, 0, 0, 0, 0, 0, 0, 0};
    private static final byte[] SIX_TO_FOUR = {0x20, 0x02};

    /** Parses an address or a range; empty if the text is neither. */
    public static Optional<AddressRange> parse(String text) {
        String[] parts = text.split("/", 2);
        Optional<InetAddress> address = literal(parts[0]);
        if (address.isEmpty()) {
            return Optional.empty();
        }
        int length = address.get().getAddress().length * 8;
        try {
            int bits = parts.length == 1 ? length : Integer.parseInt(parts[1]);
            return 0 <= bits && bits <= length ? Optional.of(new AddressRange(address.get(), bits)) : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** Parses an IP address in its usual form; no name is looked up. */
    public static Optional<InetAddress> literal(String text) {
        String bare = text.startsWith("[") && text.endsWith("]") ? text.substring(1, text.length() - 1) : text;
        try {
            return LITERAL.matcher(bare).matches() ? Optional.of(InetAddress.getByName(bare)) : Optional.empty();
        } catch (UnknownHostException e) {
            return Optional.empty();
        }
    }

    /** Whether the range contains the address. */
    public boolean contains(InetAddress address) {
        byte[] mine = first.getAddress();
        byte[] other = address.getAddress();
        if (mine.length != other.length) {
            return false;
        }
        int whole = bits / 8;
        int mask = 0xff00 >> bits % 8 & 0xff;
        return Arrays.equals(mine, 0, whole, other, 0, whole)
                && (mask == 0 || (mine[whole] & mask) == (other[whole] & mask));
    }

    /**
     * Returns the IPv4 address that an IPv6 address reaches through a gateway (NAT64, 6to4), or the address itself.
     */
    public static InetAddress reached(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length != 16) {
            return address;
        }
        if (Arrays.equals(bytes, 0, NAT64.length, NAT64, 0, NAT64.length)) {
            return ofBytes(Arrays.copyOfRange(bytes, 12, 16));
        }
        return Arrays.equals(bytes, 0, 2, SIX_TO_FOUR, 0, 2) ? ofBytes(Arrays.copyOfRange(bytes, 2, 6)) : address;
    }

    private static InetAddress ofBytes(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }

    @Override
    public String toString() {
        return first.getHostAddress() + "/" + bits;
    }
}
