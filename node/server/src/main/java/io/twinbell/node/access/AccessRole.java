package io.twinbell.node.access;

import java.util.Locale;

/** A named set of permissions. Each role includes the permissions of the roles before it. */
public enum AccessRole {
    VIEWER(Permission.READ),
    OPERATOR(Permission.OPERATE),
    EDITOR(Permission.EDIT),
    ADMIN(Permission.ADMIN);

    private final Permission highest;

    AccessRole(Permission highest) {
        this.highest = highest;
    }

    public boolean permits(Permission permission) {
        return permission.compareTo(highest) <= 0;
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
