package io.twinbell.persistence.task;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/**
 * Writes rows into a table by COPY in binary format: the server stores rows while the next ones are prepared. The rows
 * are stored once {@link #finish} has returned; if this is closed before, none is stored.
 */
final class CopyRows implements AutoCloseable {
    private static final byte[] SIGNATURE = {'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xff, '\r', '\n', 0};
    private static final long NO_FLAGS_AND_NO_EXTENSION = 0;
    private static final short NO_MORE_ROWS = -1;
    private static final int NULL = -1;
    private static final byte JSONB_VERSION = 1;
    /** The oid of the element type, which is the same in every PostgreSQL. */
    private static final int TEXT = 25;
    /** The server counts times in microseconds since the year 2000. */
    private static final long FIRST_MICROS = TimeUnit.MILLISECONDS.toMicros(946_684_800_000L);

    private static final int SENT_AT_ONCE = 32 * 1024;

    private static final String CONNECTION_IS_BROKEN = "08";

    private final Connection connection;
    private final CopyIn copy;
    private final short columns;
    private boolean isBroken;
    private ByteBuffer bytes = ByteBuffer.allocate(2 * SENT_AT_ONCE);

    CopyRows(Connection connection, String table, List<String> columns) throws SQLException {
        this.connection = connection;
        this.columns = (short) columns.size();
        copy = connection
                .unwrap(PGConnection.class)
                .getCopyAPI()
                .copyIn("copy " + table + " (" + String.join(", ", columns) + ") from stdin (format binary)");
        bytes.put(SIGNATURE).putLong(NO_FLAGS_AND_NO_EXTENSION);
    }

    /** Starts the next row. One value per column must follow. */
    void row() throws SQLException {
        if (bytes.position() >= SENT_AT_ONCE) {
            send();
        }
        room(Short.BYTES).putShort(columns);
    }

    /** @param value null for SQL null */
    void text(String value) {
        if (value == null) {
            room(Integer.BYTES).putInt(NULL);
        } else {
            byte[] encoded = value.getBytes(StandardCharsets.UTF_8);
            room(Integer.BYTES + encoded.length).putInt(encoded.length).put(encoded);
        }
    }

    void texts(List<String> elements) {
        int start = bytes.position();
        room(6 * Integer.BYTES)
                .putInt(0)
                .putInt(elements.isEmpty() ? 0 : 1)
                .putInt(0)
                .putInt(TEXT);
        if (!elements.isEmpty()) {
            bytes.putInt(elements.size()).putInt(1);
        }
        elements.forEach(this::text);
        bytes.putInt(start, bytes.position() - start - Integer.BYTES);
    }

    void jsonb(String value) {
        byte[] encoded = value.getBytes(StandardCharsets.UTF_8);
        room(Integer.BYTES + 1 + encoded.length)
                .putInt(1 + encoded.length)
                .put(JSONB_VERSION)
                .put(encoded);
    }

    void bigint(long value) {
        room(Integer.BYTES + Long.BYTES).putInt(Long.BYTES).putLong(value);
    }

    void smallint(int value) {
        room(Integer.BYTES + Short.BYTES).putInt(Short.BYTES).putShort((short) value);
    }

    /** A timestamptz, in microseconds since 1970. */
    void micros(long value) {
        bigint(value - FIRST_MICROS);
    }

    void none() {
        text(null);
    }

    /** @throws SQLException if no row was stored, because one of them is invalid; the caller must roll back */
    void finish() throws SQLException {
        room(Short.BYTES).putShort(NO_MORE_ROWS);
        send();
        carryOut(copy::endCopy);
    }

    @Override
    public void close() throws SQLException {
        if (copy.isActive() && !isBroken) {
            copy.cancelCopy();
        }
    }

    private ByteBuffer room(int length) {
        if (bytes.remaining() < length) {
            bytes = ByteBuffer.allocate(2 * (bytes.position() + length)).put(bytes.flip());
        }
        return bytes;
    }

    private void send() throws SQLException {
        carryOut(() -> copy.writeToCopy(bytes.array(), 0, bytes.position()));
        bytes.clear();
    }

    private interface Step {
        void run() throws SQLException;
    }

    /** If the connection is broken, aborts it: a cancel would wait for the server once more. */
    private void carryOut(Step step) throws SQLException {
        try {
            step.run();
        } catch (SQLException e) {
            if (e.getSQLState() != null && e.getSQLState().startsWith(CONNECTION_IS_BROKEN)) {
                isBroken = true;
                connection.abort(Runnable::run);
            }
            throw e;
        }
    }
}
