package io.twinbell.node.schedule;

/**
 * Spreads what says {@code H} over a field: the same task always gets the same value, whatever node or version reads it, so
 * the numbers this yields are never to change. 64-bit FNV-1a over the UTF-16 units, then the finalizer of MurmurHash3,
 * because names that differ only in their last letter must not land side by side.
 */
final class IdentityHash {
    private final String identity;

    /** @param identity the task's app and name, {@code "app/name"} */
    IdentityHash(String identity) {
        this.identity = identity;
    }

    /** A number from 0 to {@code bound - 1} for this field. */
    int below(int bound, FieldRange field) {
        return (int) Long.remainderUnsigned(mixed(field.field() + ':' + identity), bound);
    }

    /** 64 bits of its own for this use of the identity. */
    long seed(String use) {
        return mixed(use + ':' + identity);
    }

    private static long mixed(String text) {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
        }
        return finished(hash);
    }

    /** Every bit of the input moves about half of the output's. */
    static long finished(long bits) {
        long hash = (bits ^ bits >>> 33) * 0xff51afd7ed558ccdL;
        hash = (hash ^ hash >>> 33) * 0xc4ceb9fe1a85ec53L;
        return hash ^ hash >>> 33;
    }
}
