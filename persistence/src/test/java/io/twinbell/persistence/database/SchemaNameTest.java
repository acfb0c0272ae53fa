package io.twinbell.persistence.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.TestPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;

/** How statements get the name of another schema. */
class SchemaNameTest {
    private static final SchemaName ORDER = new SchemaName("order");

    @ParameterizedTest
    @CsvSource(delimiterString = " => ", quoteCharacter = '~', textBlock = """
            select twinbell.now_millis() from twinbell.task => select "order".now_millis() from "order".task
            to_regclass('twinbell.task') => to_regclass('"order".task')
            (twinbell.instant(?),twinbell.millis(x)) => ("order".instant(?),"order".millis(x))
            alter schema twinbell owner to x => alter schema "order" owner to x
            where n.nspname = 'twinbell' and => where n.nspname = 'order' and
            relnamespace = 'twinbell'::regnamespace => relnamespace = 'order'::regnamespace
            pg_notify('twinbell_task', '') => pg_notify('order_task', '')
            notify twinbell_epoch => notify order_epoch
            listen twinbell_task; listen twinbell_epoch => listen order_task; listen order_epoch
            hashtextextended('twinbell.node/' || ?, 0) => hashtextextended('"order".node/' || ?, 0)
            """)
    void the_schema_is_renamed_wherever_a_statement_names_it(String usual, String renamed) {
        assertEquals(renamed, ORDER.in(usual));
        assertSame(usual, SchemaName.DEFAULT.in(usual));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "set_config('twinbell.actor', ?, true)",
                "current_setting('twinbell.stored', true)",
                "key = 'twinbell.noop'",
                "grant usage to twinbell_sql",
                "create role twinbell login",
                "application_name ~ '^twinbell/[0-9a-f]{8}-'",
                "mytwinbell.task, x.twinbell.y, \"twinbell.z\""
            })
    void settings_keys_roles_and_application_names_stay(String sql) {
        assertEquals(sql, ORDER.in(sql));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Shop", "1a", "a-b", "a.b", "pg_shop", "public", "information_schema", "a\"b"})
    void a_name_that_no_schema_of_a_pair_can_have_is_refused(String name) {
        String error = assertThrows(IllegalArgumentException.class, () -> new SchemaName(name))
                .getMessage();
        assertTrue(error.contains("\"" + name + "\""), error);
        assertThrows(IllegalArgumentException.class, () -> new SchemaName("a".repeat(41)));
    }

    @Test
    void the_migrations_make_the_same_objects_in_any_schema() throws SQLException {
        PGSimpleDataSource database = TestPostgres.emptyDatabase();
        Migrations.migrate(database);
        Migrations.migrate(ORDER, renaming(database), renaming(database));
        List<String> described = List.of("""
                select relname || relkind::text || relnatts from pg_class
                where relnamespace = '%s'::regnamespace order by 1""", """
                select proname || pg_get_function_identity_arguments(oid) || prosecdef
                  || regexp_replace(array_to_string(proconfig, ','), '"?order"?', 'twinbell')
                from pg_proc where pronamespace = '%s'::regnamespace and proconfig is not null order by 1""", """
                select proname || replace(pg_get_function_identity_arguments(oid), '"order"', 'twinbell')
                from pg_proc where pronamespace = '%s'::regnamespace order by 1""", """
                select relname || tgname from pg_trigger join pg_class c on c.oid = tgrelid
                where not tgisinternal and relnamespace = '%s'::regnamespace order by 1""");
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            for (String query : described) {
                String text = "select string_agg(q::text, E'\\n') from (" + query + ") q";
                assertEquals(text(statement, text, "twinbell"), text(statement, text, "\"order\""));
            }
            assertEquals(
                    "0",
                    text(
                            statement,
                            "select count(*) from pg_proc where pronamespace = '%s'::regnamespace"
                                    + " and regexp_replace(prosrc, 'twinbell\\.(actor|quotas|replaced|stored|noop)', '', 'g')"
                                    + " ~ 'twinbell[._]'",
                            "\"order\""));
        }
    }

    @Test
    void a_statement_of_an_application_keeps_its_text() throws SQLException {
        PGSimpleDataSource database = TestPostgres.freshDatabase();
        try (Connection connection = database.getConnection()) {
            Connection renaming = ORDER.on(connection);
            assertSame(connection, SchemaName.original(renaming));
            assertSame(connection, SchemaName.original(connection));
            assertSame(connection.unwrap(PGConnection.class), renaming.unwrap(PGConnection.class));
            SQLException unknown = assertThrows(
                    SQLException.class,
                    () -> renaming.prepareStatement("select twinbell.x()").execute());
            assertTrue(unknown.getMessage().contains("\"order\""), unknown.getMessage());
        }
    }

    private static String text(Statement statement, String query, String schema) throws SQLException {
        try (ResultSet row = statement.executeQuery(String.format(Locale.ROOT, query, schema))) {
            row.next();
            return row.getString(1);
        }
    }

    private static PGSimpleDataSource renaming(PGSimpleDataSource database) {
        return new PGSimpleDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                return ORDER.on(database.getConnection());
            }
        };
    }
}
