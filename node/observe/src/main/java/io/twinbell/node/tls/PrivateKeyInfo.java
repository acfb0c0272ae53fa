package io.twinbell.node.tls;

import java.io.ByteArrayOutputStream;
import java.security.InvalidKeyException;
import java.util.Arrays;

/**
 * Converts the older formats of private keys, PKCS #1 ({@code RSA PRIVATE KEY}) and SEC 1 ({@code EC PRIVATE KEY}), to
 * PKCS #8, the only one that Java reads. PKCS #8 puts the algorithm before the older format's content (RFC 5208), and
 * the certificate's public key names the same algorithm (RFC 5280, 4.1.2.7).
 */
final class PrivateKeyInfo {
    private static final int SEQUENCE = 0x30;
    private static final int OCTETS = 0x04;
    private static final byte[] VERSION = {0x02, 0x01, 0x00};

    private PrivateKeyInfo() {}

    static byte[] wrapped(byte[] key, byte[] publicKeyInfo) throws InvalidKeyException {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        content.writeBytes(VERSION);
        content.writeBytes(algorithm(publicKeyInfo));
        content.writeBytes(element(OCTETS, key));
        return element(SEQUENCE, content.toByteArray());
    }

    /** The first element inside the outer sequence. */
    private static byte[] algorithm(byte[] publicKeyInfo) throws InvalidKeyException {
        int from = contentStart(publicKeyInfo, 0);
        int start = contentStart(publicKeyInfo, from);
        return Arrays.copyOfRange(publicKeyInfo, from, start + length(publicKeyInfo, from));
    }

    /** The position after the tag and the length of the element that begins here. */
    private static int contentStart(byte[] der, int at) {
        return at + 2 + ((der[at + 1] & 0x80) == 0 ? 0 : der[at + 1] & 0x7f);
    }

    private static int length(byte[] der, int at) throws InvalidKeyException {
        if (der[at] != SEQUENCE) {
            throw new InvalidKeyException("not a sequence");
        }
        if ((der[at + 1] & 0x80) == 0) {
            return der[at + 1];
        }
        int length = 0;
        for (int i = at + 2; i < contentStart(der, at); i++) {
            length = length << 8 | der[i] & 0xff;
        }
        return length;
    }

    private static byte[] element(int tag, byte[] content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        if (content.length < 0x80) {
            out.write(content.length);
        } else if (content.length < 0x100) {
            out.write(0x81);
            out.write(content.length);
        } else {
            out.write(0x82);
            out.write(content.length >> 8);
            out.write(content.length);
        }
        out.writeBytes(content);
        return out.toByteArray();
    }
}
