package io.twinbell.persistence.actor;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/**
 * The client on whose behalf a change is made. While work of an actor runs, every transaction of its thread names the
 * actor to the database, whose triggers write the audit. A change without an actor counts as the node's own.
 *
 * @param name such as {@code token deploy}
 * @param address of the client; null if unknown
 * @param request what the client asked for, such as {@code POST /api/v1/tasks}
 * @param lacking types of handlers, and {@code secrets}, that the client may not use. A task that it stores leads no
 *     chain to a task that needs one of these
 */
public record Actor(String name, Channel channel, String address, String request, List<String> lacking) {
    private static final ThreadLocal<Stated> CURRENT = new ThreadLocal<>();
    private static final String STATE = """
            select set_config('twinbell.actor', jsonb_build_object('actor', ?::text, 'channel', ?::text,
              'address', ?::text, 'request', ?::text, 'reason', ?::text, 'lacking', ?::text[])::text, true)""";

    /** An actor that may use everything, or changes no task. */
    public Actor(String name, Channel channel, String address, String request) {
        this(name, channel, address, request, List.of());
    }

    /** An actor, and the reason that it has given; null if none. */
    private record Stated(Actor actor, String reason) {}

    /** The way by which a request reached the node. */
    public enum Channel {
        HTTP,
        CLI,
        JMX
    }

    /** Work that makes changes. */
    @FunctionalInterface
    public interface Work<E extends Exception> {
        void run() throws E;
    }

    /** Runs work of this actor on the current thread. */
    public <E extends Exception> void perform(Work<E> work) throws E {
        Stated before = CURRENT.get();
        CURRENT.set(new Stated(this, null));
        try {
            work.run();
        } finally {
            CURRENT.set(before);
        }
    }

    /** Whether the current thread works on behalf of an actor. */
    public static boolean isPresent() {
        return CURRENT.get() != null;
    }

    /**
     * Gives the reason for what the current actor changes from now on. Without an actor, this has no effect.
     *
     * @param reason null for none; the audit keeps 500 characters
     */
    public static void giveReason(String reason) {
        Stated current = CURRENT.get();
        if (current != null) {
            CURRENT.set(new Stated(current.actor, reason));
        }
    }

    /** States the current actor, if there is one, for the rest of the connection's transaction. */
    public static void state(Connection connection) throws SQLException {
        Stated current = CURRENT.get();
        if (current == null) {
            return;
        }
        Actor actor = current.actor;
        try (PreparedStatement statement = connection.prepareStatement(STATE)) {
            statement.setString(1, actor.name);
            statement.setString(2, actor.channel.name());
            statement.setString(3, actor.address);
            statement.setString(4, actor.request);
            statement.setString(5, current.reason);
            statement.setArray(6, connection.createArrayOf("text", actor.lacking.toArray()));
            statement.execute();
        }
    }
}
