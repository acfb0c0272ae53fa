package io.twinbell.daemon.command;

import io.twinbell.node.config.ConfigReader;
import io.twinbell.node.config.EffectiveSetting;
import io.twinbell.node.config.LogConfig;
import io.twinbell.node.config.NodeConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** A node's configuration as its own program is given it: a file, the environment, and what overrides both. */
public final class ConfigOptions {
    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "the node's YAML file; default: conf/twinbell.yaml of what is installed")
    private Path file;

    @Option(names = "--set", paramLabel = "KEY=VALUE", description = "overrides a key of the file; may be repeated")
    private List<String> sets = List.of();

    /**
     * What a node would run with.
     *
     * @throws io.twinbell.node.config.ConfigException with everything that is wrong
     */
    public NodeConfig read(Map<String, String> environment) {
        return ConfigReader.read(file(), environment, sets);
    }

    /** What its daemon would log; throws as {@link #read}. */
    public LogConfig readLog(Map<String, String> environment) {
        return ConfigReader.readLog(file(), environment, sets);
    }

    /** The same, key by key. */
    List<EffectiveSetting> effective(Map<String, String> environment) {
        return ConfigReader.effective(file(), environment, sets);
    }

    /** Where it comes from, for a sentence. */
    String source() {
        return file() == null ? "the environment" : file().toString();
    }

    /** What is installed says by a system property where its file is. */
    private Path file() {
        String installed = System.getProperty("twinbell.config");
        return file != null || installed == null ? file : Path.of(installed);
    }
}
