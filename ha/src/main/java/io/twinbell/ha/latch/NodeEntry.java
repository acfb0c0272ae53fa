package io.twinbell.ha.latch;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * A node's entry in ZooKeeper in its written form.
 *
 * @param seal empty until the database has answered this node once
 */
record NodeEntry(Peer peer, String seal) {
    /** More than a node writes. Longer contents are not read. */
    static final int MAX_BYTES = 8192;

    private static final int MAX_FIELD = 512;
    private static final Pattern ADDRESS = Pattern.compile("|https?://[^\\s/@?#\\\\]{1,255}:\\d{1,5}");
    private static final Pattern PRINTABLE = Pattern.compile("[^\\p{Cntrl}\\p{Cf}\\u2028\\u2029]{0," + MAX_FIELD + "}");

    byte[] toBytes() {
        TreeMap<String, String> fields = new TreeMap<>();
        fields.put("incarnation", peer.incarnation());
        fields.put("role", peer.role());
        fields.put("http", peer.http());
        fields.put("jmx", peer.jmx());
        fields.put("version", peer.version());
        fields.put("app", escaped(peer.app()));
        fields.put("databaseReached", Boolean.toString(peer.database().isReached()));
        fields.put("asks", peer.database().asks());
        fields.put("answers", peer.database().answers());
        fields.put("seal", seal);
        StringBuilder text = new StringBuilder();
        fields.forEach(
                (key, value) -> text.append(key).append('=').append(value).append('\n'));
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Other fields cannot contain what has a meaning in a file of properties. */
    private static String escaped(String text) {
        return printable(text).replace("\\", "\\\\").replace(" ", "\\ ");
    }

    /** The text, or an empty one if it has other characters or too many. */
    static String printable(String text) {
        return PRINTABLE.matcher(text).matches() ? text : "";
    }

    /** Reads an entry; empty if a node cannot have written it. */
    static Optional<NodeEntry> read(String node, byte[] bytes) {
        if (bytes == null || bytes.length > MAX_BYTES) {
            return Optional.empty();
        }
        Properties fields = new Properties();
        try {
            fields.load(new StringReader(new String(bytes, StandardCharsets.UTF_8)));
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
        Peer peer = new Peer(
                node,
                fields.getProperty("incarnation", ""),
                fields.getProperty("role", ""),
                fields.getProperty("http", ""),
                fields.getProperty("jmx", ""),
                fields.getProperty("version", ""),
                printable(fields.getProperty("app", "")),
                new Peer.ReachReport(
                        Boolean.parseBoolean(fields.getProperty("databaseReached")),
                        fields.getProperty("asks", ""),
                        fields.getProperty("answers", "")));
        return isPlausible(peer) ? Optional.of(new NodeEntry(peer, fields.getProperty("seal", ""))) : Optional.empty();
    }

    private static boolean isPlausible(Peer peer) {
        return !peer.node().isEmpty()
                && ADDRESS.matcher(peer.http()).matches()
                && List.of(
                                peer.node(),
                                peer.incarnation(),
                                peer.role(),
                                peer.jmx(),
                                peer.version(),
                                peer.database().asks(),
                                peer.database().answers())
                        .stream()
                        .allMatch(field -> PRINTABLE.matcher(field).matches());
    }
}
