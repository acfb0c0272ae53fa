package io.twinbell.persistence.testing;

/** The database role that the statements of {@code sql} tasks log in as, in tests. */
public final class SqlTaskRole {
    public static final String NAME = "sql_task";
    public static final String PASSWORD = NAME;

    /** Creates the role unless it exists: roles belong to the whole server, which tests share. */
    public static final String CREATE = "do $$ begin create role sql_task login password 'sql_task';"
            + " exception when duplicate_object or unique_violation then null; end $$";

    private SqlTaskRole() {}
}
