package io.twinbell.daemon;

import io.twinbell.node.config.ConfigReader;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.pair.SchedulerNode;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts a node without its servers, so that the JVM can write the loaded classes into a class data sharing archive
 * (scripts/parts/sharing.sh). It listens on free ports of the loopback address and ends within twenty seconds.
 */
final class CdsArchiveRun {
    private static final Logger LOG = LoggerFactory.getLogger(CdsArchiveRun.class);
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final int CALL_MILLIS = 5_000;
    private static final List<String> NOBODY_THERE = List.of(
            "node.id=rehearsal",
            "http.port=0",
            "jmx.port=0",
            "database.url=jdbc:postgresql://127.0.0.1:1/rehearsal",
            "zookeeper.connect=127.0.0.1:1",
            "shutdown.drain=PT0S");

    /**
     * Further classes to archive: a hand-over, a takeover or a shutdown loads them for the first time, when every
     * millisecond counts.
     */
    private static final List<String> ALSO_LOADED = List.of(
            "io/twinbell/",
            "org/apache/curator/framework/",
            "org/apache/zookeeper/proto/",
            "org/apache/zookeeper/client/",
            "org/postgresql/core/",
            "org/postgresql/jdbc/",
            "org/postgresql/util/",
            "org/apache/hc/core5/",
            "org/apache/hc/client5/");

    private CdsArchiveRun() {}

    public static void main(String[] args) throws IOException {
        CompletableFuture.delayedExecutor(LIMIT.toSeconds(), TimeUnit.SECONDS)
                .execute(() -> Runtime.getRuntime().halt(1));
        loadTheRest();
        NodeConfig config = ConfigReader.read(null, Map.of(), NOBODY_THERE);
        try (SchedulerNode node = new SchedulerNode(config, Map.of(), ManagementFactory.getPlatformMBeanServer())) {
            node.start();
            ask(node.url() + "/health/ready", null);
            ask(node.url() + "/metrics", null);
            ask(
                    node.url() + "/api/v1/schedules/preview",
                    "{\"schedule\":{\"cron\":\"0 30 2 * * ?\",\"zone\":\"Europe/Berlin\"}}");
        }
        System.exit(0);
    }

    private static void loadTheRest() throws IOException {
        for (String path : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (path.endsWith(".jar")) {
                try (JarFile jar = new JarFile(path)) {
                    jar.stream()
                            .map(JarEntry::getName)
                            .filter(CdsArchiveRun::isLoaded)
                            .forEach(CdsArchiveRun::load);
                }
            }
        }
    }

    private static boolean isLoaded(String entry) {
        return entry.endsWith(".class") && ALSO_LOADED.stream().anyMatch(entry::startsWith);
    }

    private static void load(String entry) {
        String name = entry.substring(0, entry.length() - ".class".length()).replace('/', '.');
        try {
            Class.forName(name, false, CdsArchiveRun.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError e) {
            // A library may have classes that need other, absent libraries.
            LOG.debug("{} is not loaded: {}", name, e.toString());
        }
    }

    /** The answer does not matter; the call loads the classes behind it. */
    private static void ask(String url, String body) throws IOException {
        HttpURLConnection call = (HttpURLConnection) URI.create(url).toURL().openConnection();
        call.setReadTimeout(CALL_MILLIS);
        if (body != null) {
            call.setDoOutput(true);
            call.setRequestProperty("Content-Type", "application/json");
            call.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
        }
        boolean failed = call.getResponseCode() >= HttpURLConnection.HTTP_BAD_REQUEST;
        try (InputStream answer = failed ? call.getErrorStream() : call.getInputStream()) {
            answer.readAllBytes();
        }
    }
}
