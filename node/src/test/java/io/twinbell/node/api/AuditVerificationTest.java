package io.twinbell.node.api;

import static io.twinbell.node.api.TypedLine.assertExit;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What {@code twinbell verify --audit} says about a chain of four seals, and what commands leave in the audit. The
 * persistence module tests each kind of damage.
 */
class AuditVerificationTest {
    private static final String ENTRY = "(select ids[1] from twinbell.audit_seal where number = 2)";

    @AutoClose
    private final ApiFixture api = new ApiFixture();

    @BeforeEach
    void seal() {
        for (int i = 0; i < 8; i++) {
            api.execute("insert into twinbell.run_limit (key, max_running) values ('tag:" + i + "', 1)");
        }
        for (int i = 0; i < 4; i++) {
            api.execute("select twinbell.seal_audit(2)");
        }
    }

    private TypedLine verify(String... more) {
        String[] words = new String[2 + more.length];
        words[0] = "verify";
        words[1] = "--audit";
        System.arraycopy(more, 0, words, 2, more.length);
        return TypedLine.at(api.url(), words);
    }

    private String anchor(int seal) {
        return api.text("select number || ':' || encode(chain, 'hex') from twinbell.audit_seal where number = " + seal);
    }

    private static void assertFound(String problem, TypedLine verified) {
        assertExit(1, verified);
        assertEquals(problem, verified.out().lines().findFirst().orElseThrow());
    }

    @Test
    void a_sound_chain_is_0_and_shows_its_last_seal() {
        String last = anchor(4);
        TypedLine verified = verify("--anchor", last);
        assertExit(0, verified);
        assertEquals(
                List.of(
                        "8 entries in 4 seals, 0 problems; 0 entries not sealed yet, the oldest for 0 s",
                        "last seal " + last),
                verified.out().lines().toList());
    }

    @Test
    void a_changed_entry_is_named() {
        String entry = api.text("select " + ENTRY);
        api.execute("update twinbell.audit_entry set after = '{\"max_running\": 2}' where id = " + ENTRY);
        assertFound("entry " + entry + " was changed", verify());
    }

    @Test
    void an_end_that_was_truncated_with_its_record_is_found_by_an_anchor_alone() {
        String anchor = anchor(4);
        api.execute(
                "delete from twinbell.audit_entry where id = any((select ids from twinbell.audit_seal where number = 4)"
                        + "::bigint[]); delete from twinbell.audit_seal where number = 4; update twinbell.audit_head set (number,"
                        + " chain) = (select number, chain from twinbell.audit_seal where number = 3)");
        assertExit(0, verify());
        assertFound("the chain has no seal 4", verify("--anchor", anchor));
    }

    @Test
    void a_recomputed_chain_is_found_by_an_anchor_alone() {
        String anchor = anchor(4);
        api.execute(
                "update twinbell.audit_entry set actor = 'x' where id = (select ids[1] from twinbell.audit_seal where"
                        + " number = 4); delete from twinbell.audit_seal where number = 4; update twinbell.audit_head set (number,"
                        + " chain) = (select number, chain from twinbell.audit_seal where number = 3);"
                        + " select twinbell.seal_audit(2)");
        assertExit(0, verify());
        assertFound("seal 4 differs from the anchor", verify("--anchor", anchor));
    }

    @Test
    void an_anchor_of_another_form_is_refused() {
        assertExit(2, verify("--anchor", "4"));
    }

    @Test
    void changes_by_the_command_line_count_as_such(@TempDir Path folder) throws IOException {
        Path manifest = Files.writeString(folder.resolve("shop.yaml"), """
                tasks:
                  - app: shop
                    name: close
                    schedule: {every: PT1H}
                    handler: {type: log}
                """);
        for (String[] words : List.of(
                new String[] {"apply", manifest.toString(), "--yes"},
                new String[] {"task", "pause", "shop/close", "--reason", "deploy"})) {
            TypedLine typed = TypedLine.at(api.url(), words);
            assertExit(0, typed);
        }
        assertEquals(
                "CREATE anybody CLI,PAUSE anybody CLI",
                api.text("select string_agg(concat_ws(' ', act, actor, channel), ',' order by id)"
                        + " from twinbell.audit_entry where kind = 'TASK'"));
    }
}
