package io.twinbell.tools.bench;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.client.NodeStatus;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** Describes the machine and the software of a measurement; without it the figures mean nothing. */
final class BenchEnvironment {
    private BenchEnvironment() {}

    /** The current environment; its load is that before the run. */
    static Map<String, String> of(BenchSite site) throws NodeException, BenchException, IOException {
        Map<String, String> environment = new LinkedHashMap<>();
        OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
        environment.put(
                "machine",
                system.getAvailableProcessors() + " x " + processor() + ", " + system.getName() + " "
                        + system.getVersion());
        double load = system.getSystemLoadAverage();
        // The JVM reports a negative number if the system does not provide its load.
        environment.put("loadAverage", load < 0 ? "unknown" : String.format(Locale.ROOT, "%.2f", load));
        NodeStatus master = site.master();
        JsonNode self = site.client(master).get("/api/v1/cluster/self");
        environment.put(
                "twinbell",
                self.path("version").asText() + ", schema "
                        + self.path("schema").asText() + ", "
                        + self.path("workers").path("size").asText() + " workers, master " + master.id());
        try (MasterBeans beans = new MasterBeans(master)) {
            environment.put("jvm", beans.jvm());
        } catch (IOException e) {
            environment.put("jvm", "unknown: no response over JMX");
        }
        environment.put("postgresql", site.database().isEmpty() ? "unknown (--database)" : settings(site));
        return environment;
    }

    private static String settings(BenchSite site) throws IOException {
        StringBuilder text = new StringBuilder();
        site.database().orElseThrow().settings().forEach((name, value) -> {
            text.append(text.isEmpty() ? "" : ", ").append(name.equals("server_version") ? "" : name + " ");
            text.append(value);
        });
        return text.toString();
    }

    /** The processor as Linux names it; the architecture on other systems. */
    private static String processor() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElseGet(() -> System.getProperty("os.arch"));
        } catch (IOException e) {
            return System.getProperty("os.arch");
        }
    }
}
