package io.twinbell.node.handler.config;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** A range of IP addresses in CIDR notation, such as {@code 10.0.0.0/8} or {@code fe80::/10}. */
public record AddressRange(InetAddress first, int bits) {
    /** Excludes names, because parsing must not look up names. */
    private static final Pattern LITERAL =
            Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*");

    private static final byte[] NAT64 = {0, 0x64, (byte) 0xff, (byte) 0x9b, 0, 0, 0, 0, 0, 0, 0, 0};
    private static final byte[] SIX_TO_FOUR = {0x20, 0x02};
    private static final byte[] IPV4_COMPATIBLE = new byte[12];
    private static final byte[] IPV4_TRANSLATED = {0, 0, 0, 0, 0, 0, 0, 0, (byte) 0xff, (byte) 0xff, 0, 0};
    private static final byte[] LOCAL_NAT64 = {0, 0x64, (byte) 0xff, (byte) 0x9b, 0, 1};
    private static final byte[] TEREDO = {0x20, 0x01, 0, 0};
    private static final byte[] ISATAP = {0, 0, 0x5e, (byte) 0xfe};
    /** Where a prefix of 48, 56, 64 or 96 bits has the bytes of the IPv4 address (RFC 6052, section 2.2). */
    private static final int[][] NAT64_PLACES = {{6, 7, 9, 10}, {7, 9, 10, 11}, {9, 10, 11, 12}, {12, 13, 14, 15}};

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
        if (startsWith(bytes, NAT64)) {
            return ofBytes(Arrays.copyOfRange(bytes, 12, 16));
        }
        return startsWith(bytes, SIX_TO_FOUR) ? ofBytes(Arrays.copyOfRange(bytes, 2, 6)) : address;
    }

    /**
     * Returns every IPv4 address that an address may lead to, also through translators and tunnels that few networks
     * have: IPv4-compatible and IPv4-translated addresses, local-use NAT64, Teredo and ISATAP. It is for refusals only,
     * because an address that contains an allowed one need not lead there.
     */
    public static List<InetAddress> embedded(InetAddress address) {
        byte[] bytes = address.getAddress();
        List<InetAddress> found = new ArrayList<>(List.of(reached(address)));
        if (bytes.length != 16) {
            return found;
        }
        if (startsWith(bytes, LOCAL_NAT64)) {
            for (int[] places : NAT64_PLACES) {
                found.add(ofBytes(bytes[places[0]], bytes[places[1]], bytes[places[2]], bytes[places[3]]));
            }
        }
        if (startsWith(bytes, IPV4_COMPATIBLE) || startsWith(bytes, IPV4_TRANSLATED) || isIsatap(bytes)) {
            found.add(ofBytes(Arrays.copyOfRange(bytes, 12, 16)));
        }
        if (startsWith(bytes, TEREDO)) {
            found.add(ofBytes(Arrays.copyOfRange(bytes, 4, 8)));
            // The address of the client is stored inverted.
            found.add(ofBytes((byte) ~bytes[12], (byte) ~bytes[13], (byte) ~bytes[14], (byte) ~bytes[15]));
        }
        return found;
    }

    /** The second bit of the interface identifier only says whether the IPv4 address is unique. */
    private static boolean isIsatap(byte[] bytes) {
        return (bytes[8] & ~2) == ISATAP[0] && Arrays.equals(bytes, 9, 12, ISATAP, 1, 4);
    }

    private static boolean startsWith(byte[] bytes, byte[] prefix) {
        return Arrays.equals(bytes, 0, prefix.length, prefix, 0, prefix.length);
    }

    private static InetAddress ofBytes(byte... bytes) {
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
