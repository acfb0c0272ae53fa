package io.twinbell.node.template;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which colons of a statement are parameters, and which statements are refused. */
class SqlTemplateTest {
    @Test
    void parameters_become_question_marks_in_their_order() {
        SqlTemplate statement =
                SqlTemplate.parse("update t set a = :data.a, b=:data.items.0.id where id=:slot and c>:attempt;");
        assertEquals("update t set a = ?, b=? where id=? and c>?", statement.jdbc());
        assertEquals(List.of("data.a", "data.items.0.id", "slot", "attempt"), statement.parameters());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select ':slot', 'it''s :slot', '\\', 1::text",
                "select E'it\\'s :slot', e'\\\\', 'x'",
                "select \":slot\", \"a\"\":b\" from t",
                "select 1 -- :slot ' \" $$\n",
                "select 1 /* :slot /* nested :slot */ ' */ + 1",
                "select $$ :slot ' ; $$, $tag$ $$ :slot $tag$",
                "select a[1 : 2], x::int, b := 3, c$1 from t"
            })
    void text_that_only_looks_like_a_parameter_is_left_alone(String text) {
        SqlTemplate statement = SqlTemplate.parse(text);
        assertEquals(text, statement.jdbc());
        assertEquals(List.of(), statement.parameters());
    }

    @Test
    void a_parameter_follows_a_cast_a_comment_or_a_text() {
        assertEquals(
                List.of("slot", "attempt", "data"),
                SqlTemplate.parse("select :slot::text, 'a'/**/||:attempt, $$b$$||:data")
                        .parameters());
    }

    @Test
    void a_question_mark_stays_an_operator() {
        assertEquals(
                "select a ?? 'b' and c = ?",
                SqlTemplate.parse("select a ? 'b' and c = :slot").jdbc());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "commit",
                "begin",
                "rollback",
                "set role x",
                "reset all",
                "do $$ $$",
                "copy t from program 'x'",
                "create table x()",
                "drop table x",
                "prepare x as select 1",
                "/* a */ savepoint x",
                "vacuum",
                "lock t"
            })
    void statements_that_end_the_transaction_or_change_more_than_data_are_refused(String text) {
        assertTrue(refusal(text).contains("must begin with one of"), text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "delete from twinbell.epoch",
                "delete from Twinbell . epoch",
                "delete from \"twinbell\".epoch",
                "select set_config('role', 'x', true)",
                "with x as (select 1) update twinbell.task set app = ''"
            })
    void the_schedulers_own_schema_is_not_to_be_named(String text) {
        assertTrue(refusal(text).contains("belongs to Twinbell"), text);
    }

    @Test
    void one_text_is_one_statement_and_all_of_it_is_closed() {
        assertTrue(refusal("select 1; select 2").contains("one statement"));
        assertEquals("select 1 ", SqlTemplate.parse("select 1; ").jdbc());
        assertTrue(refusal("select 'x").contains("not closed"));
        assertTrue(refusal("select \"x").contains("not closed"));
        assertTrue(refusal("select 1 /* x").contains("not closed"));
        assertTrue(refusal("select $a$ x $b$").contains("not closed"));
        assertTrue(refusal("select $1").contains("use named parameters"));
        assertTrue(refusal("select U&\"tw\\0069nbell\"").contains("U&"));
        assertTrue(refusal(" -- nothing").contains("must be an SQL statement"));
    }

    private static String refusal(String text) {
        return assertThrows(TemplateException.class, () -> SqlTemplate.parse(text), text)
                .getMessage();
    }

    @Test
    void a_name_of_any_length_is_read() {
        String name = "data" + ".a".repeat(50_000);
        assertEquals("select ?", SqlTemplate.parse("select :" + name).jdbc());
    }
}
