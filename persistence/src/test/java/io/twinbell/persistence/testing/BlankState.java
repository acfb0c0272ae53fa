package io.twinbell.persistence.testing;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * What the template of the test databases holds, and how a database that is a copy of it gets there again. Deleting the
 * few rows of a test is ten times faster than truncating every table with its partitions and indexes, and than making
 * another copy.
 */
final class BlankState {
    private static final String HISTORY = "twinbell.flyway_schema_history";

    /** Each change of the catalog leaves a row with a newer transaction; only ANALYZE and VACUUM change rows in place. */
    private static final String CATALOG = """
            select concat_ws(' ',
              (select concat_ws('/', count(*), max(xmin::text::bigint)) from pg_class),
              (select sum(reltuples) from pg_class),
              (select concat_ws('/', count(*), max(xmin::text::bigint)) from pg_attribute),
              (select concat_ws('/', count(*), max(xmin::text::bigint)) from pg_attrdef),
              (select concat_ws('/', count(*), max(xmin::text::bigint)) from pg_constraint),
              (select concat_ws('/', count(*), max(xmin::text::bigint)) from pg_proc),
              (select concat_ws('/', count(*), max(xmin::text::bigint)) from pg_trigger),
              (select concat_ws('/', count(*), max(xmin::text::bigint)) from pg_event_trigger),
              (select concat_ws('/', count(*), max(xmin::text::bigint)) from pg_index),
              (select concat_ws('/', count(*), max(xmin::text::bigint)) from pg_namespace),
              (select concat_ws('/', count(*), max(xmin::text::bigint)) from pg_extension),
              (select concat_ws('/', count(*), max(xmin::text::bigint)) from pg_default_acl),
              (select concat_ws('/', count(*), max(xmin::text::bigint)) from pg_largeobject_metadata),
              (select concat_ws('/', count(*), max(installed_rank), sum(checksum::bigint)) from %s),
              (select datacl::text from pg_database where datname = current_database()),
              (select count(*) from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase
                where d.datname = current_database()))
            """.formatted(HISTORY);

    private static final String TABLES_WITH_ROWS = """
            select c.oid::regclass::text
              from pg_class c
             where c.relnamespace = 'twinbell'::regnamespace and c.relkind = 'r' and c.oid <> '%s'::regclass
               and pg_relation_size(c.oid) > 0
            """.formatted(HISTORY);

    private static final String SEQUENCES = """
            select format('select setval(%L, %s, %L)', seqrelid::regclass, coalesce(v, seqstart), v is not null)
              from pg_sequence, pg_sequence_last_value(seqrelid) v
            """;

    private final String catalog;
    private final String rows;
    private final String sequences;

    private BlankState(String catalog, String rows, String sequences) {
        this.catalog = catalog;
        this.rows = rows;
        this.sequences = sequences;
    }

    static BlankState of(PGSimpleDataSource template) throws SQLException {
        try (Connection connection = template.getConnection();
                Statement statement = connection.createStatement()) {
            return new BlankState(
                    column(statement, CATALOG).get(0),
                    rows(statement),
                    String.join("; ", column(statement, SEQUENCES)));
        }
    }

    private static String rows(Statement statement) throws SQLException {
        List<String> block = new ArrayList<>();
        block.add("""
                do $clear$
                declare
                  with_rows text;
                begin
                  set local session_replication_role = replica;
                  for with_rows in %s loop
                    execute 'delete from ' || with_rows;
                  end loop;""".formatted(TABLES_WITH_ROWS));
        for (String table : column(statement, TABLES_WITH_ROWS)) {
            block.addAll(column(statement, """
                    select format('insert into %1$s overriding system value
                                   select * from jsonb_populate_record(null::%1$s, %%L);', to_jsonb(r))
                      from %1$s r""".formatted(table)));
        }
        block.add("end $clear$");
        return String.join("\n", block);
    }

    /** Gives the database the rows of the template, whatever it has now. Sequences continue. */
    void restoreRows(PGSimpleDataSource database) {
        TestPostgres.execute(database, rows);
    }

    /** Makes the database a copy of the template again, unless someone has changed its schema. */
    boolean restoreIfUnchanged(PGSimpleDataSource database) {
        try {
            return KeptSessions.with(database, session -> {
                try (Statement statement = session.createStatement()) {
                    boolean unchanged = column(statement, CATALOG).equals(List.of(catalog));
                    if (unchanged) {
                        statement.execute(rows);
                        statement.execute(sequences);
                    }
                    return unchanged;
                }
            });
        } catch (SQLException e) {
            return false;
        }
    }

    private static List<String> column(Statement statement, String query) throws SQLException {
        try (ResultSet rows = statement.executeQuery(query)) {
            List<String> values = new ArrayList<>();
            while (rows.next()) {
                values.add(rows.getString(1));
            }
            return values;
        }
    }
}
