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
 * @param http where its API answers, {@code http://host:port}; empty if it has none
 * @param jmx where its JMX answers, {@code host:port}; empty if it does not listen
 */
public record Peer(
        String node, String incarnation, String role, String http, String jmx, String version, Reach database) {
    /**
     * How it stands with the database: a master that does not reach it resigns only to a node that does. The entry of a
     * node that has gone stays for as long as its session, so what it says is worth nothing until it answers.
     *
     * @param asks names a loss of the database, about which the node wants to hear from the others; empty while it has it
     * @param answers what another node asked when this was written; empty if none has asked
     */
    public record Reach(boolean isReached, String asks, String answers) {
        /** Of a node that asks and answers nothing. */
        public static Reach of(boolean isReached) {
            return new Reach(isReached, "", "");
        }
    }

    public boolean databaseReached() {
        return database.isReached();
    }

    byte[] toBytes() {
        TreeMap<String, String> fields = new TreeMap<>();
        fields.put("incarnation", incarnation);
        fields.put("role", role);
        fields.put("http", http);
        fields.put("jmx", jmx);
        fields.put("version", version);
        fields.put("databaseReached", Boolean.toString(database.isReached()));
        fields.put("asks", database.asks());
        fields.put("answers", database.answers());
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
                new Reach(
                        Boolean.parseBoolean(fields.getProperty("databaseReached")),
                        fields.getProperty("asks", ""),
                        fields.getProperty("answers", "")));
    }
}
