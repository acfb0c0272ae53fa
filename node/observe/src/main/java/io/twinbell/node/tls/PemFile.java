package io.twinbell.node.tls;

import io.twinbell.node.settings.SmallFile;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/**
 * The objects of a PEM file (RFC 7468): certificates and at most one private key. Text outside of them is ignored, so
 * the output of {@code openssl} can be used as it is.
 */
final class PemFile {
    private static final Pattern OBJECT =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----", Pattern.DOTALL);
    private static final String CERTIFICATE = "CERTIFICATE";
    private static final String KEY = "PRIVATE KEY";
    private static final String ENCRYPTED_KEY = "ENCRYPTED PRIVATE KEY";

    private final Path file;
    private final List<X509Certificate> certificates = new ArrayList<>();
    private String keyType;
    private byte[] key;

    private PemFile(Path file) {
        this.file = file;
    }

    static PemFile read(Path file) throws TlsFileException {
        PemFile read = new PemFile(file);
        String text;
        try {
            text = SmallFile.read(file);
        } catch (IOException e) {
            throw new TlsFileException(file, e.getMessage(), e);
        }
        Matcher object = OBJECT.matcher(text);
        while (object.find()) {
            read.add(object.group(1), object.group(2));
        }
        return read;
    }

    private void add(String type, String body) throws TlsFileException {
        boolean isKey = type.endsWith(KEY);
        if (!isKey && !type.equals(CERTIFICATE)) {
            // For example EC PARAMETERS, which openssl writes before a key.
            return;
        }
        byte[] bytes;
        try {
            bytes = Base64.getMimeDecoder().decode(body);
        } catch (IllegalArgumentException e) {
            String hint = body.contains("DEK-Info") ? "; convert it with openssl pkcs8 -topk8" : "";
            throw new TlsFileException(file, "the " + type + " is not base64 text" + hint, e);
        }
        if (!isKey) {
            certificates.add(certificate(bytes));
        } else if (key == null) {
            keyType = type;
            key = bytes;
        } else {
            throw new TlsFileException(file, "it has several private keys");
        }
    }

    private X509Certificate certificate(byte[] bytes) throws TlsFileException {
        try {
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(bytes));
        } catch (CertificateException e) {
            throw new TlsFileException(
                    file, "certificate " + (certificates.size() + 1) + " is damaged: " + e.getMessage(), e);
        }
    }

    /**
     * Returns the certificates in the order of the file.
     *
     * @throws TlsFileException if there is none
     */
    List<X509Certificate> certificates() throws TlsFileException {
        if (certificates.isEmpty()) {
            throw new TlsFileException(file, "it has no certificate: -----BEGIN CERTIFICATE----- is missing");
        }
        return List.copyOf(certificates);
    }

    /**
     * Returns the private key.
     *
     * @param certificate the key's certificate, which names the algorithm and, for a key in an older format, the curve
     * @param password of an encrypted key; empty if there is none
     * @throws TlsFileException if there is no key, or none for this kind of certificate
     */
    PrivateKey key(X509Certificate certificate, Optional<String> password) throws TlsFileException {
        if (key == null) {
            throw new TlsFileException(file, "it has no private key: -----BEGIN PRIVATE KEY----- is missing");
        }
        String algorithm = certificate.getPublicKey().getAlgorithm();
        try {
            PKCS8EncodedKeySpec encoded = switch (keyType) {
                case KEY -> new PKCS8EncodedKeySpec(key);
                case ENCRYPTED_KEY -> decrypted(password);
                default ->
                    new PKCS8EncodedKeySpec(PrivateKeyInfo.wrapped(
                            key, certificate.getPublicKey().getEncoded()));
            };
            return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
        } catch (GeneralSecurityException e) {
            throw new TlsFileException(file, "its key is damaged, or is no " + algorithm + " key", e);
        }
    }

    private PKCS8EncodedKeySpec decrypted(Optional<String> password) throws TlsFileException {
        if (password.isEmpty()) {
            throw new TlsFileException(file, "its key is encrypted, and no password is configured");
        }
        try {
            EncryptedPrivateKeyInfo info = new EncryptedPrivateKeyInfo(key);
            // The parameters' text names the whole scheme (PBES2); the algorithm's name does not.
            String scheme = String.valueOf(info.getAlgParameters());
            Cipher cipher = Cipher.getInstance(scheme);
            cipher.init(
                    Cipher.DECRYPT_MODE,
                    SecretKeyFactory.getInstance(scheme)
                            .generateSecret(new PBEKeySpec(password.get().toCharArray())),
                    info.getAlgParameters());
            return info.getKeySpec(cipher);
        } catch (IOException | GeneralSecurityException e) {
            throw new TlsFileException(file, "its key cannot be decrypted: the password is wrong, or the method", e);
        }
    }

    /**
     * Converts the older formats of private keys, PKCS #1 ({@code RSA PRIVATE KEY}) and SEC 1 ({@code EC PRIVATE KEY}),
     * to PKCS #8, the only one that Java reads. PKCS #8 puts the algorithm before the older format's content (RFC
     * 5208), and the certificate's public key names the same algorithm (RFC 5280, 4.1.2.7).
     */
    private static final class PrivateKeyInfo {
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
}
