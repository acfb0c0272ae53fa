package io.twinbell.node.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.persistence.testing.RandomCases;
import io.twinbell.persistence.testing.TestPostgres;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.util.PSQLException;

/** What add_task refuses the API refuses too, and of these kinds of mistakes the other way round. */
class AddTaskAgreesWithApiTest {
    private static final PGSimpleDataSource DATABASE = TestPostgres.freshDatabase();
    private static final int TRIES = RandomCases.count(200, 1000);
    private static final String DATA =
            "{\"a\":1,\"list\":[1,null,\"x\"],\"dots\":\"..\",\"umlaut\":\"\u00fc\",\"o\":{\"p\":null}}";

    private static final List<String> STATEMENT = pieces("""
            select¦SELECT ¦drop ¦with x as (¦)¦ ¦\n¦\t¦;¦'¦''¦E'¦e'\\'¦\\¦"¦"twinbell"¦twinbell¦.¦TWINBELL¦\
            mytwinbell¦set_config¦$$¦$a$¦$1¦a$b$¦--¦/*¦*/¦/¦*¦:slot¦:data.a¦:data.none¦:data.parent.state¦\
            :data.parent.none¦:own¦:¦::¦text¦u&¦1¦e¦?¦\u00e4¦\u2003¦,¦""");
    private static final List<String> TEMPLATE = pieces("""
            ${slot}¦${slto}¦${data}¦${data.a}¦${data.list.1}¦${data.list.9}¦${data.list.-1}¦${data.dots}¦\
            ${data.umlaut}¦${data.o.p}¦${data.parent.output}¦${data.parent.root.task.id}¦${data.parent.outputs}¦\
            ${data.value}¦${secret.KEY}¦${secret.k}¦${alert.x}¦${¦$¦{¦}¦$${¦a¦"¦.¦""");
    private static final List<String> TARGET = pieces("""
            /¦a¦?¦q=¦&¦%¦%41¦4¦{¦\\¦|¦^¦<¦[¦]¦~¦\u65e5¦ ¦#¦@¦:¦;¦'¦""");
    private static final List<String> HOST = pieces("""
            a¦b-c¦_¦..¦.¦1¦255¦256¦!¦$¦A¦-¦*¦(¦a.b¦1.2.3.¦:¦""", "x".repeat(63));
    private static final List<String> PORT =
            List.of("", ":", ":80", ":0", ":0080", ":65535", ":65536", ":8o", ":-1", ":123456");

    private static final List<String> RULE_PART = pieces("""
            ¦INTERVAL=2¦INTERVAL=0¦INTERVAL=99999999999¦COUNT=3¦COUNT=1001¦COUNT=x¦UNTIL=20300228¦UNTIL=20300230¦\
            until=20300228t235960z¦UNTIL=2030¦WKST=SU¦WKST=1MO¦BYDAY=MO,fr¦BYDAY=-1FR¦BYDAY=54MO¦BYDAY=-0MO¦\
            BYDAY=MO,¦BYMONTHDAY=+3,-1¦BYMONTHDAY=0¦BYMONTHDAY=32¦BYYEARDAY=366¦BYYEARDAY=-367¦BYWEEKNO=53¦\
            BYWEEKNO=54¦BYMONTH=12¦BYMONTH=-1¦BYHOUR=0,23¦BYHOUR=24¦BYMINUTE=59¦BYSECOND=60¦BYSECOND=61¦\
            BYSETPOS=-1¦BYSETPOS=0¦RSCALE=GREGORIAN¦SKIP=OMIT¦SKIP=FORWARD¦X=1¦=1¦BYHOUR¦""");
    private static final List<String> FREQUENCY = pieces("""
            SECONDLY¦MINUTELY¦HOURLY¦DAILY¦weekly¦MONTHLY¦YEARLY¦""");
    private static final List<String> ZONE = pieces("""
            UTC¦GMT¦UT¦Z¦z¦+¦-¦0¦1¦2¦05¦17¦18¦19¦:¦00¦30¦60¦CET¦EST¦W-SU¦GMT0¦/¦Europe¦Berlin¦berlin¦europe¦\
            America/Port-au-Prince¦Etc/GMT¦""");
    private static final List<String> CRON = List.of(
            "* * * * *", "0 0 * * * ?", "0 0 0 1 1 ? 2190", "TZ=UTC 0 0 * * *", "@daily", "0 0 L * ?", "0 * * * * *");
    private static final List<String> MEMBER =
            List.of("null", "5", "true", "{}", "[1]", "\"QUARTZ\"", "\"SPRING\"", "\"UNIX\"", "\"SKIP\"", "\"x\"");

    private final long seed = RandomCases.seed(AddTaskAgreesWithApiTest.class);
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

    /** Half of them begin well: of the others nearly all are refused. */
    @Test
    void statements_are_read() throws SQLException {
        agreeOn("sql", handler -> {
            if (random.nextBoolean()) {
                return handler.put("statement", "select " + some(STATEMENT, 6));
            }
            handler.putObject("parameters").put("own", 1);
            return handler.put("statement", some(STATEMENT, 8));
        });
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

    @Test
    void recurrence_rules_are_read() throws SQLException {
        agreeOnSchedules(schedule -> {
            String rule = "FREQ=" + any(FREQUENCY);
            for (int i = random.nextInt(4); i > 0; i--) {
                rule += ";" + any(RULE_PART);
            }
            return schedule.put("rrule", rule).put("dtstart", "2026-01-05T09:00");
        });
    }

    @Test
    void zones_are_read() throws SQLException {
        agreeOnSchedules(schedule -> schedule.put("cron", "30 2 * * *").put("zone", some(ZONE, 5)));
    }

    @Test
    void dialects_and_members_of_schedules_are_read() throws SQLException {
        List<String> members = List.of("dialect", "dialect", "dstGap", "dstOverlap", "zone", "mode", "first", "past");
        agreeOnSchedules(schedule -> {
            String member = any(members);
            switch (member) {
                case "mode", "first" -> schedule.put("every", "PT5S");
                case "past" -> schedule.put("at", "2190-01-01T00:00:00Z");
                default -> schedule.put("cron", any(CRON));
            }
            return schedule.set(member, StrictJson.readStored(any(MEMBER)));
        });
    }

    private void agreeOnSchedules(Function<ObjectNode, ObjectNode> fill) throws SQLException {
        int refused = 0;
        for (int i = 0; i < TRIES; i++) {
            ObjectNode task =
                    JsonNodeFactory.instance.objectNode().put("app", "a").put("name", "n");
            ObjectNode schedule = fill.apply(task.putObject("schedule"));
            task.putObject("handler").put("type", "log");
            String bySql = refusalBySql(schedule, task.get("handler"));
            String byApi = refusalByApi(task);
            refused += byApi == null ? 0 : 1;
            boolean isLeftToTheNode =
                    byApi != null && (byApi.contains("never fires") || byApi.contains("/schedule/cron"));
            if (bySql != null || !isLeftToTheNode) {
                assertEquals(
                        byApi != null,
                        bySql != null,
                        () -> "seed " + seed + ": the API says " + byApi + ", add_task " + bySql + " of " + schedule);
            }
        }
        assertTrue(refused > TRIES / 50 && refused < TRIES - TRIES / 50, "seed " + seed + ": " + refused + " refused");
    }

    /** Each piece ends with a broken bar. */
    private static List<String> pieces(String text, String... more) {
        return Stream.concat(Pattern.compile("\u00a6").splitAsStream(text), Stream.of(more))
                .toList();
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
            String byApi = refusalOfHandler(handler);
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

    private String refusalBySql(JsonNode handler) throws SQLException {
        return refusalBySql(StrictJson.readStored("{\"in\":\"PT1S\"}"), handler);
    }

    private String refusalBySql(JsonNode schedule, JsonNode handler) throws SQLException {
        try (PreparedStatement add = connection.prepareStatement(
                "select twinbell.add_task('a', 'n', ?::jsonb, ?::jsonb, jsonb_build_object('data', ?::jsonb))")) {
            add.setString(1, StrictJson.write(schedule));
            add.setString(2, StrictJson.write(handler));
            add.setString(3, DATA);
            add.execute();
            return null;
        } catch (PSQLException e) {
            assertEquals(
                    "22023", e.getSQLState(), () -> "seed " + seed + ": " + schedule + handler + ": " + e.getMessage());
            return e.getMessage();
        } finally {
            connection.rollback();
        }
    }

    private static String refusalOfHandler(ObjectNode handler) {
        ObjectNode task = JsonNodeFactory.instance.objectNode().put("app", "a").put("name", "n");
        task.putObject("schedule").put("in", "PT1S");
        task.set("handler", handler);
        task.set("data", StrictJson.readStored(DATA));
        return refusalByApi(task);
    }

    private static String refusalByApi(ObjectNode task) {
        try {
            TaskReader.newTask(task, 1_767_571_200_000L, Calendars.NONE);
            return null;
        } catch (InvalidJsonException e) {
            return e.getMessage() + " " + e.errors();
        }
    }
}
