package io.twinbell.persistence.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.TestPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The previous build runs on the new schema during an upgrade, so a migration takes away nothing that the previous one
 * offered, and demands nothing that the previous build does not write.
 */
class AdditiveMigrationsTest {
    /** The last file of the baseline. The rule is checked for what comes after it. */
    private static final int BASELINE = 7;

    /** What statements rely on: columns, columns that may stay unset, functions, and values that checks allow. */
    private static final String OFFERED = """
            select 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) as what
              from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
             where c.relnamespace = 'twinbell'::regnamespace and c.relkind in ('r', 'p', 'v') and not c.relispartition
            union all
            select 'unset ' || c.relname || '.' || a.attname
              from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
             where c.relnamespace = 'twinbell'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
               and (not a.attnotnull or a.atthasdef or a.attidentity <> '')
            union all
            select 'function ' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ') '
                   || pg_get_function_result(p.oid)
              from pg_proc p where p.pronamespace = 'twinbell'::regnamespace
            union all
            select 'value ' || c.relname || '.' || k.conname || ' ' || v[1]
              from pg_constraint k join pg_class c on c.oid = k.conrelid,
                   regexp_matches(pg_get_constraintdef(k.oid), '''([A-Z_]+)''::text', 'g') v
             where k.connamespace = 'twinbell'::regnamespace and k.contype = 'c' and not c.relispartition
            """;

    /** What statements must meet: columns that have to be set, and unique keys. */
    private static final String DEMANDED = """
            select 'column ' || c.relname || '.' || a.attname
              from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
             where c.relnamespace = 'twinbell'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
               and a.attnotnull and not a.atthasdef and a.attidentity = ''
            union all
            select 'unique ' || c.relname || ' ' || regexp_replace(pg_get_indexdef(i.indexrelid), '^.* USING ', '')
              from pg_index i join pg_class c on c.oid = i.indrelid
             where c.relnamespace = 'twinbell'::regnamespace and i.indisunique and not c.relispartition
            """;

    private static final String TABLES = "select relname from pg_class where relnamespace = 'twinbell'::regnamespace"
            + " and relkind in ('r', 'p') and not relispartition";

    private final PGSimpleDataSource database = TestPostgres.emptyDatabase();

    /** What the previous build knows. */
    private record Catalog(Set<String> tables, Set<String> offered, Set<String> demanded, long oldestBuild) {}

    @BeforeEach
    void migrateToTheBaseline() {
        migrate(Integer.toString(BASELINE));
    }

    @Test
    void a_migration_takes_nothing_from_the_previous_build_and_demands_nothing_of_it() throws SQLException {
        Catalog before = catalogAfter("select 1");
        assertTrue(before.tables().contains("execution"), "the baseline is complete");
        for (String version : laterVersions()) {
            migrate(version);
            Catalog after = catalogAfter("select 1");
            assertEquals(List.of(), broken(before, after), "schema " + version);
            before = after;
        }
    }

    @Test
    void a_migration_that_breaks_the_rule_is_found_unless_it_says_which_build_is_the_oldest() throws SQLException {
        Catalog before = catalogAfter("select 1");
        for (String change : List.of(
                "alter table twinbell.parked rename to parked_attempt",
                "alter table twinbell.execution drop column note",
                "alter table twinbell.task alter column data set not null",
                "alter table twinbell.task_state add column next_number bigint not null",
                "alter table twinbell.execution alter column node type varchar(10)",
                "alter table twinbell.removal rename column removed_at to gone_at",
                "drop function twinbell.remove_task(bigint)",
                "alter table twinbell.execution drop constraint execution_origin_check, add constraint"
                        + " execution_origin_check check (origin in ('TRIGGERED', 'CHAINED')) not valid",
                "create unique index next_index on twinbell.task (updated_at)")) {
            assertTrue(!broken(before, catalogAfter(change)).isEmpty(), change);
        }
        assertEquals(
                List.of(),
                broken(
                        before,
                        catalogAfter("alter table twinbell.execution drop column note;"
                                + " update twinbell.cluster set oldest_build = 999")));
    }

    private static List<String> broken(Catalog before, Catalog after) {
        List<String> broken = new ArrayList<>();
        if (after.oldestBuild() > before.oldestBuild()) {
            return broken;
        }
        before.offered().stream()
                .filter(offer -> !after.offered().contains(offer))
                .map(offer -> "lacks " + offer)
                .forEach(broken::add);
        after.demanded().stream()
                .filter(demand -> !before.demanded().contains(demand))
                .filter(demand -> before.tables().contains(demand.split("[ .]")[1]))
                .map(demand -> "demands " + demand)
                .forEach(broken::add);
        return broken;
    }

    /** The catalog after a change, which is undone. */
    private Catalog catalogAfter(String change) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute(change);
            Catalog catalog = new Catalog(
                    column(statement, TABLES),
                    column(statement, OFFERED),
                    column(statement, DEMANDED),
                    Long.parseLong(column(statement, "select oldest_build from twinbell.cluster")
                            .iterator()
                            .next()));
            connection.rollback();
            return catalog;
        }
    }

    private static Set<String> column(Statement statement, String query) throws SQLException {
        try (ResultSet rows = statement.executeQuery(query)) {
            Set<String> values = new TreeSet<>();
            while (rows.next()) {
                values.add(rows.getString(1));
            }
            return values;
        }
    }

    private List<String> laterVersions() {
        return Arrays.stream(flyway("latest").info().pending())
                .map(MigrationInfo::getVersion)
                .map(Object::toString)
                .toList();
    }

    private void migrate(String version) {
        flyway(version).migrate();
    }

    private Flyway flyway(String target) {
        return Flyway.configure()
                .dataSource(database)
                .schemas("twinbell")
                .locations(Migrations.LOCATION)
                .target(target)
                .load();
    }
}
