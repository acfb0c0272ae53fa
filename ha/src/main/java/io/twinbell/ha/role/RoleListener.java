package io.twinbell.ha.role;

/** Receives every role change, on the thread that makes the change; must return at once. */
@FunctionalInterface
public interface RoleListener {
    void roleChanged(Role from, Role to, String reason, long epoch);
}
