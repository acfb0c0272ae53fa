package io.twinbell.node.access.oidc;

import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.security.interfaces.RSAPublicKey;
import org.jose4j.jwk.RsaJsonWebKey;

/** RSA keys that sign tokens of tests. To make one takes longer than a test, so they are made once. */
public enum SigningKeys {
    PROVIDER,
    /** Another key, of the provider or of somebody else. */
    STRANGER;

    private final KeyPair pair = made();

    private static KeyPair made() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(2048);
            return generator.generateKeyPair();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has RSA", e);
        }
    }

    public RsaJsonWebKey named(String id) {
        RsaJsonWebKey key = new RsaJsonWebKey((RSAPublicKey) pair.getPublic());
        key.setPrivateKey(pair.getPrivate());
        key.setKeyId(id);
        return key;
    }
}
