package io.twinbell.daemon.doctor;

import io.twinbell.node.tls.TlsFileException;
import io.twinbell.node.tls.TlsFiles;
import io.twinbell.node.tls.TlsMaterial;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Checks how long the certificate of the HTTP API is still valid. */
final class CertificateCheck {
    private static final String NAME = "certificate";
    private static final Duration SOON = Duration.ofDays(30);
    private static final String ADVICE =
            "replace the files of http.tls.certificate and http.tls.key; the node takes them over without a restart";

    private CertificateCheck() {}

    static void check(TlsFiles files, Instant now, Findings findings) {
        if (!files.isServer()) {
            return;
        }
        try {
            Optional<Instant> end = TlsMaterial.read(files).end();
            end.ifPresent(instant -> judge(instant, now, findings));
        } catch (TlsFileException e) {
            findings.fail(NAME, e.getMessage(), ADVICE);
        }
    }

    private static void judge(Instant end, Instant now, Findings findings) {
        if (!end.isAfter(now)) {
            findings.fail(NAME, "the certificate of the HTTP API ended at " + end, ADVICE);
        } else if (end.isBefore(now.plus(SOON))) {
            findings.warn(NAME, "the certificate of the HTTP API ends at " + end, ADVICE);
        } else {
            findings.ok(NAME, "the certificate of the HTTP API is valid until " + end);
        }
    }
}
