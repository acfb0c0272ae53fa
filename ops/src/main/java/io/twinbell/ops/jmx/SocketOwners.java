package io.twinbell.ops.jmx;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalLong;

/** Whose process is at the other end of a TCP connection within this machine, by Linux's tables of sockets. */
final class SocketOwners {
    private static final String ESTABLISHED = "01";
    private static final int LOCAL = 1;
    private static final int REMOTE = 2;
    private static final int STATE = 3;
    private static final int USER = 7;
    private static final int INODE = 9;
    private static final int HEX_WORD = 8;
    private static final int RADIX = 16;

    private final List<Path> tables;
    private final long unmappedUser;

    /** @param unmappedUser the id that stands for all users without one in this namespace; -1 if all have one */
    private SocketOwners(List<Path> tables, long unmappedUser) {
        this.tables = tables;
        this.unmappedUser = unmappedUser;
    }

    /** The tables of the network that this process is in. */
    static SocketOwners ofThisMachine() throws IOException {
        return new SocketOwners(
                List.of(Path.of("/proc/self/net/tcp6"), Path.of("/proc/self/net/tcp")), unmappedUserHere());
    }

    /** For tests: other tables. */
    static SocketOwners in(List<Path> tables, long unmappedUser) {
        return new SocketOwners(tables, unmappedUser);
    }

    /** In a user namespace that does not map all users, the kernel shows the others as one. */
    private static long unmappedUserHere() throws IOException {
        String[] map = Files.readString(Path.of("/proc/self/uid_map")).strip().split("\\s+");
        boolean isWhole = map.length == 3 && map[0].equals("0") && map[1].equals("0") && map[2].equals("4294967295");
        return isWhole
                ? -1
                : Long.parseLong(Files.readString(Path.of("/proc/sys/kernel/overflowuid"))
                        .strip());
    }

    /** The id of the user that this process acts as. */
    static long ownUser() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("Uid:")) {
                return Long.parseLong(line.split("\\s+")[2]);
            }
        }
        throw new IOException("/proc/self/status has no line Uid");
    }

    /**
     * The user of the process that opened a connection; empty if it is not of this machine, or its socket is closed
     * already: then the kernel shows root in place of its user.
     */
    OptionalLong userOf(InetSocketAddress client, InetSocketAddress server) throws IOException {
        for (Path table : tables) {
            if (Files.exists(table)) {
                OptionalLong user = find(table, client, server);
                if (user.isPresent()) {
                    return user.getAsLong() == unmappedUser ? OptionalLong.empty() : user;
                }
            }
        }
        return OptionalLong.empty();
    }

    private static OptionalLong find(Path table, InetSocketAddress client, InetSocketAddress server)
            throws IOException {
        try (BufferedReader lines = Files.newBufferedReader(table)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] fields = line.strip().split("\\s+");
                if (fields.length > INODE
                        && fields[STATE].equals(ESTABLISHED)
                        && !fields[INODE].equals("0")
                        && is(client, fields[LOCAL])
                        && is(server, fields[REMOTE])) {
                    return OptionalLong.of(Long.parseLong(fields[USER]));
                }
            }
        }
        return OptionalLong.empty();
    }

    /** @param shown the address as words of the machine's byte order and the port, in hexadecimal digits */
    private static boolean is(InetSocketAddress end, String shown) throws UnknownHostException {
        int colon = shown.indexOf(':');
        return Integer.parseInt(shown.substring(colon + 1), RADIX) == end.getPort()
                && address(shown.substring(0, colon)).equals(plain(end.getAddress()));
    }

    private static InetAddress address(String hex) throws UnknownHostException {
        byte[] bytes = HexFormat.of().parseHex(hex);
        if (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN) {
            int word = HEX_WORD / 2;
            for (int start = 0; start < bytes.length; start += word) {
                for (int i = 0; i < word / 2; i++) {
                    byte swapped = bytes[start + i];
                    bytes[start + i] = bytes[start + word - 1 - i];
                    bytes[start + word - 1 - i] = swapped;
                }
            }
        }
        return InetAddress.getByAddress(bytes);
    }

    /** Without the interface that a link-local address may name. */
    private static InetAddress plain(InetAddress address) throws UnknownHostException {
        return InetAddress.getByAddress(address.getAddress());
    }
}
