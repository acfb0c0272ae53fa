package io.twinbell.ha.latch;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs the entries of a database's nodes in ZooKeeper: a keyed hash over the entry's content and its session. A copy
 * under another session, or with another address, does not match.
 */
final class EntrySeal {
    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec key;

    /** @param key the database's secret key */
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
                NodeEntry.printable(peer.app()),
                Boolean.toString(peer.database().isReached()),
                peer.database().asks(),
                peer.database().answers())) {
            // The length prefix prevents text from moving between fields.
            sealed.append('\n').append(field.length()).append(':').append(field);
        }
        return of(sealed.toString());
    }

    /**
     * The seal of a text that belongs to no session. The text of an entry begins with a session in hexadecimal and a
     * line break; a text without a line break cannot be mistaken for one.
     */
    String of(String text) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JVM has " + ALGORITHM, e);
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
