package io.twinbell.node.handler.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.codahale.metrics.MetricRegistry;
import io.twinbell.node.engine.TestHandlers;
import io.twinbell.node.handler.Handlers;
import io.twinbell.node.handler.config.CallProfile;
import io.twinbell.node.handler.config.HandlerConfig;
import io.twinbell.node.handler.config.HostList;
import io.twinbell.node.metrics.AppMetrics;
import io.twinbell.node.metrics.PrometheusText;
import io.twinbell.node.tls.TlsFiles;
import io.twinbell.node.tls.TlsInit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProfileCertificateMetricTest {
    private static final String METRIC = "twinbell_http_profile_certificate_expiry_seconds";

    private final AtomicLong nowMillis = new AtomicLong(Instant.now().toEpochMilli());

    @TempDir
    private Path directory;

    @Test
    void the_metric_shows_how_long_each_client_certificate_is_valid_and_follows_its_renewal() throws Exception {
        TlsInit month = issued(30);
        TlsInit quarter = issued(90);
        Path certificate = directory.resolve("client.pem");
        Path key = directory.resolve("client-key.pem");
        copy(month, certificate, key);
        HandlerConfig defaults = HandlerConfig.DEFAULT;
        HandlerConfig.HttpHandler profiles = new HandlerConfig.HttpHandler(
                HostList.EMPTY,
                Set.of(),
                List.of(),
                Map.of(
                        "bank",
                        profile(TlsFiles.forClient(month.certificate("ca"), certificate, key)),
                        "own_ca",
                        profile(TlsFiles.forClient(month.certificate("ca"), null, null))));
        MetricRegistry registry = new MetricRegistry();
        try (Handlers handlers = new Handlers(
                new HandlerConfig(profiles, defaults.java(), defaults.sql(), defaults.shell(), Map.of()),
                Map.of(),
                nowMillis::get,
                TestHandlers.NO_TRANSACTIONS,
                List.of())) {
            handlers.registerGauges(registry);
            PrometheusText metrics = new PrometheusText(registry, new AppMetrics(System::nanoTime));
            assertEquals(30, days(metrics), 1);
            copy(quarter, certificate, key);
            nowMillis.addAndGet(2000);
            assertEquals(90, days(metrics), 1);
            nowMillis.addAndGet(Duration.ofDays(100).toMillis());
            assertEquals(-10, days(metrics), 1);
        }
    }

    private TlsInit issued(int days) throws Exception {
        TlsInit authority = new TlsInit(Files.createDirectory(directory.resolve("valid-" + days)), days);
        authority.issue(List.of(new TlsInit.Request("client", List.of(), TlsInit.Use.CLIENT)), false);
        return authority;
    }

    private static void copy(TlsInit authority, Path certificate, Path key) throws Exception {
        Files.copy(authority.certificate("client"), certificate, StandardCopyOption.REPLACE_EXISTING);
        Files.copy(authority.key("client"), key, StandardCopyOption.REPLACE_EXISTING);
    }

    private static CallProfile profile(TlsFiles tls) {
        return new CallProfile(null, tls, HostList.EMPTY, Set.of());
    }

    /** The only series: a profile without a certificate has none. */
    private static double days(PrometheusText metrics) {
        List<String> series =
                metrics.render().lines().filter(line -> line.startsWith(METRIC)).toList();
        assertEquals(1, series.size(), series::toString);
        String start = METRIC + "{profile=\"bank\"} ";
        assertTrue(series.get(0).startsWith(start), series::toString);
        return Double.parseDouble(series.get(0).substring(start.length()))
                / Duration.ofDays(1).toSeconds();
    }
}
