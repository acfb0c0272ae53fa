package io.twinbell.persistence.epoch;

/**
 * People's current instructions about the role.
 *
 * @param hold null unless automatic takeover is on hold now
 * @param move null unless a person recently asked the owner of the current epoch to hand over
 */
public record RoleInstructions(TakeoverHold hold, MoveRequest move) {
    public static final RoleInstructions NONE = new RoleInstructions(null, null);
}
