package io.twinbell.node.schedule.cron;

/**
 * Chooses the value of {@code H} in a cron field by a hash of the task's identity. A task gets the same value on every
 * node and in every version, so the hash must never change. It is 64-bit FNV-1a over the UTF-16 units, followed by the
 * finalizer of MurmurHash3, because names that differ only in their last letter must not get adjacent values.
 */
public final class IdentityHash {
    private final String identity;

    /** @param identity the task's app and name, {@code "app/name"} */
    public IdentityHash(String identity) {
        this.identity = identity;
    }

    /** Returns a number from 0 to {@code bound - 1} for this field. */
    int below(int bound, FieldRange field) {
        return (int) Long.remainderUnsigned(mixed(field.field() + ':' + identity), bound);
    }

    /** Returns a 64-bit hash for this use of the identity. */
    public long seed(String use) {
        return mixed(use + ':' + identity);
    }

    private static long mixed(String text) {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
        }
        return finished(hash);
    }

    /** Each input bit changes about half of the output bits. */
    public static long finished(long bits) {
        long hash = (bits ^ bits >>> 33) * 0xff51afd7ed558ccdL;
        hash = (hash ^ hash >>> 33) * 0xc4ceb9fe1a85ec53L;
        return hash ^ hash >>> 33;
    }
}
