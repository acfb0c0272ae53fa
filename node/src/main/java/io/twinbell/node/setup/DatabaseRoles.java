package io.twinbell.node.setup;

import io.twinbell.node.settings.Login;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The roles of a pair.
 *
 * @param owner owns the schema and migrates it; null if this is the nodes' role
 * @param node the role by which nodes log in
 * @param ofSqlTasks runs the statements of SQL tasks; null if there are none
 */
public record DatabaseRoles(Login owner, Login node, Login ofSqlTasks) {
    /** The role that owns the schema. */
    Login ofSchema() {
        return owner == null ? node : owner;
    }

    Stream<Login> all() {
        return Stream.of(owner, node, ofSqlTasks).filter(Objects::nonNull);
    }
}
