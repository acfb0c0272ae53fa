package io.twinbell.tools.manifest;

/** A manifest is invalid; the message says where and why. */
public final class ManifestException extends Exception {
    private static final long serialVersionUID = 1L;

    public ManifestException(String message) {
        super(message);
    }
}
