package io.twinbell.node.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.persistence.testing.TestPostgres;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.util.PSQLException;

/** What add_task refuses the API refuses too, and of these kinds of mistakes the other way round. */
class AddTaskAgreesWithApiTest {
    private static final PGSimpleDataSource DATABASE = TestPostgres.freshDatabase();
    private static final int TRIES = 1000;
    private static final String DATA =
            "{\"a\":1,\"list\":[1,null,\"x\"],\"dots\":\"..\",\"umlaut\":\"\u00fc\",\"o\":{\"p\":null}}";

    private static final List<String> STATEMENT = List.of(
            "select",
            "SELECT ",
            "drop ",
            "with x as (",
            ")",
            " ",
            "\n",
            "\t",
            ";",
            "'",
            "''",
            "E'",
            "e'\\'",
            "\\",
            "\"",
            "\"twinbell\"",
            "twinbell",
            ".",
            "TWINBELL",
            "mytwinbell",
            "set_config",
            "$$",
            "$a$",
            "$1",
            "a$b$",
            "--",
            "/*",
            "*/",
            "/",
            "*",
            ":slot",
            ":data.a",
            ":data.none",
            ":own",
            ":",
            "::",
            "text",
            "u&",
            "1",
            "e",
            "?",
            "\u00e4",
            "\u2003",
            ",");
    private static final List<String> TEMPLATE = List.of(
            "${slot}",
            "${slto}",
            "${data}",
            "${data.a}",
            "${data.list.1}",
            "${data.list.9}",
            "${data.list.-1}",
            "${data.dots}",
            "${data.umlaut}",
            "${data.o.p}",
            "${secret.KEY}",
            "${secret.k}",
            "${alert.x}",
            "${",
            "$",
            "{",
            "}",
            "$${",
            "a",
            "\"",
            ".");
    private static final List<String> TARGET = List.of(
            "/", "a", "?", "q=", "&", "%", "%41", "4", "{", "\\", "|", "^", "<", "[", "]", "~", "\u65e5", " ", "#", "@",
            ":", ";", "'");
    private static final List<String> HOST = List.of(
            "a",
            "b-c",
            "_",
            "..",
            ".",
            "1",
            "255",
            "256",
            "!",
            "$",
            "A",
            "x".repeat(63),
            "-",
            "*",
            "(",
            "a.b",
            "1.2.3.",
            ":");
    private static final List<String> PORT =
            List.of("", ":", ":80", ":0", ":0080", ":65535", ":65536", ":8o", ":-1", ":123456");

    private final long seed = Long.getLong("twinbell.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private Connection connection;

    @BeforeEach
    void connect() throws SQLException {
        connection = DATABASE.getConnection();
        connection.setAutoCommit(false);
    }

    @AfterEach
    void close() throws SQLException {
        connection.rollback();
        connection.close();
    }

    @Test
    void statements_are_read() throws SQLException {
        agreeOn("sql", handler -> {
            handler.putObject("parameters").put("own", 1);
            return handler.put("statement", some(STATEMENT, 8));
        });
    }

    @Test
    void statements_that_begin_well_are_read() throws SQLException {
        agreeOn("sql", handler -> handler.put("statement", "select " + some(STATEMENT, 6)));
    }

    @Test
    void templates_in_bodies_and_headers_are_read() throws SQLException {
        agreeOn("http", handler -> {
            handler.put("url", "http://x/");
            handler.putObject("headers").put("X-A", some(TEMPLATE, 3));
            return handler.put("body", some(TEMPLATE, 4));
        });
    }

    @Test
    void hosts_and_ports_are_read() throws SQLException {
        agreeOn("http", handler -> handler.put("url", "http://" + some(HOST, 4) + any(PORT) + "/"));
    }

    @Test
    void paths_and_queries_are_read() throws SQLException {
        agreeOn("http", handler -> handler.put("url", "https://x/" + some(TARGET, 5)));
        agreeOn(
                "http",
                handler -> handler.put("url", "https://x/" + some(TARGET, 2) + any(TEMPLATE) + some(TARGET, 2)));
    }

    private String any(List<String> pieces) {
        return pieces.get(random.nextInt(pieces.size()));
    }

    private String some(List<String> pieces, int most) {
        return IntStream.rangeClosed(0, random.nextInt(most))
                .mapToObj(i -> any(pieces))
                .collect(Collectors.joining());
    }

    private void agreeOn(String type, Function<ObjectNode, ObjectNode> fill) throws SQLException {
        int refused = 0;
        for (int i = 0; i < TRIES; i++) {
            ObjectNode handler =
                    fill.apply(JsonNodeFactory.instance.objectNode().put("type", type));
            String bySql = refusalBySql(handler);
            String byApi = refusalByApi(handler);
            refused += byApi == null ? 0 : 1;
            assertTrue(
                    bySql == null || byApi != null,
                    () -> "seed " + seed + ": only add_task refuses " + handler + ": " + bySql);
            boolean isLeftToTheNode = isEscapeOfATemplate(byApi);
            if (!isLeftToTheNode) {
                assertEquals(
                        byApi != null,
                        bySql != null,
                        () -> "seed " + seed + ": the API says " + byApi + " of " + handler);
            }
        }
        assertTrue(refused > TRIES / 50 && refused < TRIES - TRIES / 50, "seed " + seed + ": " + refused + " refused");
    }

    /** Whether a value completes an escape is known when it is there. */
    private static boolean isEscapeOfATemplate(String refusal) {
        return refusal != null
                && (refusal.contains("two hexadecimal digits") || refusal.contains("has the character \"{\""));
    }

    private String refusalBySql(ObjectNode handler) throws SQLException {
        try (PreparedStatement add = connection.prepareStatement(
                "select twinbell.add_task('a', 'n', '{\"in\":\"PT1S\"}', ?::jsonb, jsonb_build_object('data', ?::jsonb))")) {
            add.setString(1, StrictJson.write(handler));
            add.setString(2, DATA);
            add.execute();
            return null;
        } catch (PSQLException e) {
            assertEquals("22023", e.getSQLState(), () -> "seed " + seed + ": " + handler + ": " + e.getMessage());
            return e.getMessage();
        } finally {
            connection.rollback();
        }
    }

    private static String refusalByApi(ObjectNode handler) {
        ObjectNode task = JsonNodeFactory.instance.objectNode().put("app", "a").put("name", "n");
        task.putObject("schedule").put("in", "PT1S");
        task.set("handler", handler);
        task.set("data", StrictJson.readStored(DATA));
        try {
            TaskReader.newTask(task, 1_767_571_200_000L, Calendars.NONE);
            return null;
        } catch (InvalidJsonException e) {
            return e.getMessage() + " " + e.errors();
        }
    }
}
