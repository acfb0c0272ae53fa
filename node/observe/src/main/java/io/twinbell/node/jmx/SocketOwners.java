package io.twinbell.node.jmx;

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

/** Looks up which user owns the other end of a TCP connection within this machine, in Linux's socket tables. */
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

    /** @param unmappedUser the id that stands for all users not mapped in this user namespace; -1 if all are mapped */
    private SocketOwners(List<Path> tables, long unmappedUser) {
        this.tables = tables;
        this.unmappedUser = unmappedUser;
    }

    /** Uses the socket tables of this process's network namespace. */
    static SocketOwners ofThisMachine() throws IOException {
        return new SocketOwners(
                List.of(Path.of("/proc/self/net/tcp6"), Path.of("/proc/self/net/tcp")), unmappedUserHere());
    }

    /** For tests: uses other tables. */
    static SocketOwners in(List<Path> tables, long unmappedUser) {
        return new SocketOwners(tables, unmappedUser);
    }

    /** The id by which the kernel shows every user that this user namespace does not map; -1 if all are mapped. */
    private static long unmappedUserHere() throws IOException {
        String[] map = Files.readString(Path.of("/proc/self/uid_map")).strip().split("\\s+");
        boolean isWhole = map.length == 3 && map[0].equals("0") && map[1].equals("0") && map[2].equals("4294967295");
        return isWhole
                ? -1
                : Long.parseLong(Files.readString(Path.of("/proc/sys/kernel/overflowuid"))
                        .strip());
    }

    /** The effective user id of this process. */
    static long ownUser() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("Uid:")) {
                return Long.parseLong(line.split("\\s+")[2]);
            }
        }
        throw new IOException("/proc/self/status has no Uid line");
    }

    /**
     * The user of the process that opened a connection. Empty if the process is not on this machine, or if its socket
     * is already closed: the kernel then shows root instead of the user.
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

    /** @param shown an address in words of the machine's byte order and a port, both in hexadecimal digits */
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

    /** The address without the interface that a link-local address may name. */
    private static InetAddress plain(InetAddress address) throws UnknownHostException {
        return InetAddress.getByAddress(address.getAddress());
    }
}
