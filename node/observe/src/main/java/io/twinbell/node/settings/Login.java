package io.twinbell.node.settings;

/**
 * The login of a database role.
 *
 * @param password null for none
 */
public record Login(String user, String password) {
    /** Leaves the password out. */
    @Override
    public String toString() {
        return "Login[user=" + user + "]";
    }
}
