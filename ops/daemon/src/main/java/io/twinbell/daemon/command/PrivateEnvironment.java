package io.twinbell.daemon.command;

import io.twinbell.node.settings.ConfigException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The environment of a node's process, with its secrets. The start script keeps passwords and secrets out of the real
 * environment, which every process of the same user can read. It passes them through a pipe, which is empty once they
 * are read.
 */
public final class PrivateEnvironment {
    static final String DESCRIPTOR = "TWINBELL_PRIVATE_FD";
    private static final int MOST_BYTES = 1024 * 1024;

    private PrivateEnvironment() {}

    /**
     * Returns all variables. Call it once, because the pipe can be read only once.
     *
     * @param environment as from {@link System#getenv()}
     * @throws ConfigException if the pipe that it names cannot be read
     */
    public static Map<String, String> read(Map<String, String> environment) {
        return read(environment, Path.of("/dev/fd"));
    }

    static Map<String, String> read(Map<String, String> environment, Path descriptors) {
        String descriptor = environment.get(DESCRIPTOR);
        if (descriptor == null) {
            return environment;
        }
        Map<String, String> all = new HashMap<>(environment);
        all.remove(DESCRIPTOR);
        try (var in = Files.newInputStream(descriptors.resolve(descriptor))) {
            String text = new String(in.readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
            for (String entry : text.split("\0")) {
                int equals = entry.indexOf('=');
                if (equals > 0) {
                    all.put(entry.substring(0, equals), entry.substring(equals + 1));
                }
            }
            return all;
        } catch (IOException | InvalidPathException e) {
            throw new ConfigException(List.of("cannot read the passwords that the start script passes on descriptor "
                    + descriptor + " (" + DESCRIPTOR + "): " + e));
        }
    }
}
