package io.twinbell.node.api.access;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.twinbell.node.access.AccessPolicy;
import io.twinbell.node.access.AccessRole;
import io.twinbell.node.access.Grant;
import io.twinbell.node.access.Principal;
import io.twinbell.node.access.UncheckedCredentialsException;
import io.twinbell.node.access.token.AdminToken;
import io.twinbell.node.access.token.TokenBook;
import io.twinbell.node.api.ApiFixture;
import io.twinbell.node.api.ApiFixture.Reply;
import io.twinbell.node.api.exchange.Route;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class TokenTest {
    private static final String TOKENS = "/api/v1/tokens";

    @AutoClose
    private final ApiFixture api = new ApiFixture();

    private long millis = System.currentTimeMillis();
    private final TokenBook book = new TokenBook(api.tokens, () -> millis, api.ticker);

    private String created(String body) {
        Reply reply = api.post(TOKENS, body);
        assertStatus(201, reply);
        return reply.text("/token");
    }

    @Test
    void a_token_has_its_role_apps_and_grants() {
        String token = created("""
                {"name":"deploy","role":"EDITOR","apps":["shop"],"grants":["SQL"],"validFor":"P90D"}""");
        assertTrue(token.matches("tb_[A-Za-z0-9_-]{43}"), token);
        assertEquals(
                Optional.of(new Principal("token deploy", AccessRole.EDITOR, Set.of("shop"), Set.of(Grant.SQL))),
                book.resolve(token));
        assertEquals(Optional.empty(), book.resolve(token + "x"));
        millis += Duration.ofDays(91).toMillis();
        assertEquals(Optional.empty(), book.resolve(token));
        assertEquals(Optional.of("expired token deploy"), book.formerHolder(token));
        assertEquals(Optional.empty(), book.formerHolder(token + "x"));
    }

    @Test
    void an_app_of_a_token_has_no_invisible_characters() {
        Reply reply = api.post(TOKENS, "{\"name\":\"deploy\",\"role\":\"EDITOR\",\"apps\":[\"a\",\"sh\\u202eop\"]}");
        assertStatus(400, reply);
        assertEquals("/apps/1", reply.text("/errors/0/pointer"));
    }

    @Test
    void a_row_with_an_empty_element_gives_no_rights_and_hides_no_other_token() {
        api.number("with added as (insert into twinbell.access_token (name, hash, role, apps, grants)"
                + " values ('odd', sha256('tb_odd'), 'ADMIN', '{NULL}', '{}') returning 1) select count(*) from added");
        String token = created("{\"name\":\"deploy\",\"role\":\"ADMIN\"}");
        assertTrue(book.resolve(token).isPresent());
        assertEquals(Optional.of(Set.of("")), book.resolve("tb_odd").map(Principal::apps));
        assertStatus(200, api.get(TOKENS));
    }

    @Test
    void a_token_is_shown_once_and_stored_as_a_hash() {
        String token = created("{\"name\":\"deploy\",\"role\":\"ADMIN\"}");
        String listed = api.get(TOKENS).body().toString();
        assertTrue(listed.contains("\"deploy\""), listed);
        assertFalse(listed.contains("tb_"), listed);
        assertEquals(
                0,
                api.number("select count(*) from twinbell.access_token t where t::text like '%" + token.substring(3)
                        + "%'"));
        assertStatus(409, api.post(TOKENS, "{\"name\":\"deploy\",\"role\":\"ADMIN\"}"));
    }

    @Test
    void a_revoked_token_ends_within_a_second() {
        String token = created("{\"name\":\"deploy\",\"role\":\"ADMIN\"}");
        assertTrue(book.resolve(token).isPresent());
        assertStatus(204, api.delete(TOKENS + "/deploy"));
        assertStatus(404, api.delete(TOKENS + "/deploy"));
        api.ticker.pass(Duration.ofSeconds(1));
        assertEquals(Optional.empty(), book.resolve(token));
    }

    @Test
    void the_log_names_the_principal_and_the_address_of_a_change() {
        created("{\"name\":\"deploy\",\"role\":\"ADMIN\"}");
        Logger logger = (Logger) LoggerFactory.getLogger(Route.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            assertStatus(204, api.delete(TOKENS + "/deploy"));
        } finally {
            logger.detachAppender(lines);
        }
        List<String> logged = lines.list.stream()
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> line.startsWith("DELETE /api/v1/tokens/deploy by "))
                .toList();
        assertEquals(1, logged.size(), lines.list::toString);
        assertTrue(logged.get(0).endsWith(" by anybody at 127.0.0.1"), logged.get(0));
    }

    @Test
    void a_rotated_token_stays_valid_for_the_overlap() {
        String old = created("{\"name\":\"deploy\",\"role\":\"ADMIN\"}");
        assertTrue(book.resolve(old).isPresent());
        String rotated =
                api.post(TOKENS + "/deploy/rotate", "{\"overlap\":\"PT10M\"}").text("/token");
        api.ticker.pass(Duration.ofSeconds(1));
        assertTrue(book.resolve(rotated).isPresent());
        assertTrue(book.resolve(old).isPresent());
        millis = System.currentTimeMillis() + Duration.ofMinutes(11).toMillis();
        assertTrue(book.resolve(rotated).isPresent());
        assertEquals(Optional.empty(), book.resolve(old));
        assertEquals(Optional.of("replaced token deploy"), book.formerHolder(old));
        assertStatus(404, api.post(TOKENS + "/nobody/rotate", "{}"));
    }

    @Test
    void known_tokens_outlive_an_outage_of_the_database_for_15_minutes() {
        String token = created("{\"name\":\"deploy\",\"role\":\"ADMIN\"}");
        book.step(api.loop);
        api.execute("alter table twinbell.access_token rename to access_token_gone");
        api.ticker.pass(Duration.ofMinutes(14));
        assertTrue(book.resolve(token).isPresent());
        UncheckedCredentialsException unchecked =
                assertThrows(UncheckedCredentialsException.class, () -> book.resolve("tb_unknown"));
        assertTrue(unchecked.getMessage().contains("the database does not answer"), unchecked.getMessage());
        api.ticker.pass(Duration.ofMinutes(2));
        assertThrows(UncheckedCredentialsException.class, () -> book.resolve(token));
        api.execute("alter table twinbell.access_token_gone rename to access_token");
        api.ticker.pass(Duration.ofSeconds(2));
        assertTrue(book.resolve(token).isPresent());
        assertEquals(Optional.empty(), book.resolve("tb_unknown"));
    }

    @Test
    void the_last_use_is_recorded_later() {
        String token = created("{\"name\":\"deploy\",\"role\":\"ADMIN\"}");
        created("{\"name\":\"idle\",\"role\":\"ADMIN\"}");
        book.resolve(token);
        assertNull(api.get(TOKENS).text("/items/0/lastUsedAt"));
        book.step(api.loop);
        assertTrue(api.get(TOKENS).body().at("/items/0/lastUsedAt").isTextual());
        assertNull(api.get(TOKENS).text("/items/1/lastUsedAt"));
    }

    @Test
    void the_admin_token_is_made_once_and_only_its_owner_may_read_it(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("admin-token");
        AdminToken made = AdminToken.of(file);
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        String token = Files.readString(file).strip();
        assertEquals(AccessRole.ADMIN, made.resolve(token).orElseThrow().role());
        assertTrue(AdminToken.of(file).resolve(token).isPresent());
        assertEquals(Optional.empty(), made.resolve(token + "x"));
        try (Stream<Path> files = Files.list(directory)) {
            assertEquals(1, files.count());
        }
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThrows(IOException.class, () -> AdminToken.of(file), "others can read it");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r-----"));
        assertTrue(AdminToken.of(file).resolve(token).isPresent());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        Files.writeString(file, "short\n");
        assertThrows(IOException.class, () -> AdminToken.of(file));
    }

    @Test
    void a_link_to_a_missing_file_leads_to_where_the_token_is_created(@TempDir Path directory) throws IOException {
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere")).resolve("token");
        Path link = Files.createSymbolicLink(directory.resolve("admin-token"), elsewhere);
        AdminToken made = AdminToken.of(link);
        assertTrue(made.resolve(Files.readString(elsewhere).strip()).isPresent());
        assertTrue(Files.isSymbolicLink(link));
    }

    @Test
    void the_admin_token_of_a_node_is_valid_on_the_other_node_until_it_is_replaced(@TempDir Path directory)
            throws IOException {
        Path file = directory.resolve("admin-token");
        api.tokens.putAdmin("node a", AdminToken.of(file).hash());
        api.tokens.putAdmin("node b", AdminToken.of(file).hash());
        String first = Files.readString(file).strip();
        assertEquals(
                Optional.of(new Principal("the admin token of node a", AccessRole.ADMIN, Set.of(), Set.of())),
                book.resolve(first));
        assertEquals(1, api.number("select count(*) from twinbell.access_token"), "both nodes may share a file");
        Files.delete(file);
        api.tokens.putAdmin("node a", AdminToken.of(file).hash());
        api.ticker.pass(Duration.ofSeconds(1));
        assertEquals(Optional.empty(), book.resolve(first));
        assertTrue(book.resolve(Files.readString(file).strip()).isPresent());
        assertEquals(
                409, api.post(TOKENS + "/node%20a/rotate", "{}").status(), "the file would have the previous token");
        assertStatus(400, api.post(TOKENS, "{\"name\":\"node c\",\"role\":\"ADMIN\"}"));
    }

    @Test
    void a_node_that_lets_everybody_read_lets_only_tokens_write() {
        AccessPolicy policy = new AccessPolicy(
                Optional.of(new Principal("a client without a token", AccessRole.VIEWER, Set.of(), Set.of())),
                List.of(book),
                "; see FILE");
        try (ApiFixture reading = new ApiFixture(policy)) {
            assertStatus(200, reading.get("/api/v1/tasks"));
            Reply refused = reading.post("/api/v1/cluster/pause", "{}");
            assertStatus(401, refused);
            assertTrue(refused.text("/detail").endsWith("; see FILE"));
            String token = created("{\"name\":\"night\",\"role\":\"OPERATOR\"}");
            assertStatus(200, reading.authorized("Bearer " + token, "POST", "/api/v1/cluster/pause", "{}"));
            assertStatus(401, reading.authorized("Bearer " + token + "x", "GET", "/api/v1/tasks", null));
        }
    }

    @Test
    void a_malformed_token_is_refused_with_the_member() {
        for (String member : new String[] {
            "\"role\":\"KING\"",
            "\"role\":\"ADMIN\",\"grants\":[\"ROOT\"]",
            "\"role\":\"ADMIN\",\"apps\":\"shop\"",
            "\"role\":\"ADMIN\",\"apps\":[\"\"]",
            "\"role\":\"ADMIN\",\"validFor\":\"PT1S\"",
            "\"role\":\"ADMIN\",\"more\":1",
            "\"apps\":[]"
        }) {
            assertEquals(
                    400, api.post(TOKENS, "{\"name\":\"x\"," + member + "}").status(), member);
        }
    }
}
