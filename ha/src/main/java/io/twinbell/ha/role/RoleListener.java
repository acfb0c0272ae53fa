package io.twinbell.ha.role;

/** Is told of every role change, on the thread that made it; must return at once. */
@FunctionalInterface
public interface RoleListener {
    void roleChanged(Role from, Role to, String reason, long epoch);
}
