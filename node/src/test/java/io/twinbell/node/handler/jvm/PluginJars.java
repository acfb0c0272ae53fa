package io.twinbell.node.handler.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.ToolProvider;

/** Compiles plugins into jars. */
public final class PluginJars {
    private PluginJars() {}

    /**
     * @param source a class of this type in the package {@code acme}
     * @param service what the jar names as its plugin; null for nothing
     */
    public static void write(Path target, String type, String source, String service) throws IOException {
        Path work = Files.createTempDirectory("plugin");
        Path file = Files.writeString(work.resolve(type + ".java"), source);
        int result = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "-proc:none",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-d",
                        work.toString(),
                        file.toString());
        assertEquals(0, result);
        try (OutputStream out = Files.newOutputStream(target);
                JarOutputStream jar = new JarOutputStream(out)) {
            try (var classes = Files.list(work.resolve("acme"))) {
                for (Path compiled : classes.toList()) {
                    jar.putNextEntry(new JarEntry("acme/" + compiled.getFileName()));
                    jar.write(Files.readAllBytes(compiled));
                }
            }
            if (service != null) {
                jar.putNextEntry(new JarEntry("META-INF/services/io.twinbell.handler.HandlerPlugin"));
                jar.write(service.getBytes(StandardCharsets.UTF_8));
            }
        }
    }
}
