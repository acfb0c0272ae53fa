package io.twinbell.persistence.epoch;

/**
 * What people have decided about the role.
 *
 * @param hold null unless automatic takeover is on hold now
 * @param move null unless somebody asked a moment ago that the present epoch be followed by another
 */
public record RoleInstructions(TakeoverHold hold, MoveRequest move) {
    public static final RoleInstructions NONE = new RoleInstructions(null, null);
}
