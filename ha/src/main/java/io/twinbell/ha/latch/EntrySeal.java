package io.twinbell.ha.latch;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The mark by which nodes of one database recognise an entry in ZooKeeper as one of theirs: a keyed hash over what the entry
 * says and the session that it belongs to. A copy under another session, or with another address, does not fit.
 */
final class EntrySeal {
    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec key;

    /** @param key the database's, a secret */
    EntrySeal(String key) {
        this.key = new SecretKeySpec(key.getBytes(StandardCharsets.UTF_8), ALGORITHM);
    }

    String of(Peer peer, long session) {
        StringBuilder sealed = new StringBuilder(Long.toHexString(session));
        for (String field : List.of(
                peer.node(),
                peer.incarnation(),
                peer.role(),
                peer.http(),
                peer.jmx(),
                peer.version(),
                Boolean.toString(peer.database().isReached()),
                peer.database().asks(),
                peer.database().answers())) {
            // With its length, so that no text can move from one field to the next.
            sealed.append('\n').append(field.length()).append(':').append(field);
        }
        return of(sealed.toString());
    }

    /** Of a text that no session owns. An entry begins with a session in hexadecimal and a line break, which it lacks. */
    String of(String text) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every JVM has " + ALGORITHM, e);
        }
    }

    boolean fits(String seal, Peer peer, long session) {
        return isEqual(seal, of(peer, session));
    }

    boolean fits(String seal, String text) {
        return isEqual(seal, of(text));
    }

    private static boolean isEqual(String seal, String expected) {
        return MessageDigest.isEqual(seal.getBytes(StandardCharsets.UTF_8), expected.getBytes(StandardCharsets.UTF_8));
    }
}
