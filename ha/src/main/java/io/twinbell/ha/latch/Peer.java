package io.twinbell.ha.latch;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Properties;
import java.util.TreeMap;

/**
 * What a node says of itself in its ZooKeeper entry, which goes with its session.
 *
 * @param http where its API answers, {@code http://host:port}
 * @param jmx where its JMX answers, {@code host:port}
 * @param databaseReached whether it reaches the database: a master that does not resigns only to a node that does
 */
public record Peer(
        String node,
        String incarnation,
        String role,
        String http,
        String jmx,
        String version,
        boolean databaseReached) {
    byte[] toBytes() {
        TreeMap<String, String> fields = new TreeMap<>();
        fields.put("incarnation", incarnation);
        fields.put("role", role);
        fields.put("http", http);
        fields.put("jmx", jmx);
        fields.put("version", version);
        fields.put("databaseReached", Boolean.toString(databaseReached));
        StringBuilder text = new StringBuilder();
        fields.forEach(
                (key, value) -> text.append(key).append('=').append(value).append('\n'));
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    static Peer fromBytes(String node, byte[] bytes) {
        Properties fields = new Properties();
        try {
            fields.load(new StringReader(new String(bytes, StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Peer(
                node,
                fields.getProperty("incarnation", ""),
                fields.getProperty("role", ""),
                fields.getProperty("http", ""),
                fields.getProperty("jmx", ""),
                fields.getProperty("version", ""),
                Boolean.parseBoolean(fields.getProperty("databaseReached")));
    }
}
