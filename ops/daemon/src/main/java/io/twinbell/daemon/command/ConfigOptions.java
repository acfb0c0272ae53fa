package io.twinbell.daemon.command;

import io.twinbell.node.config.ConfigReader;
import io.twinbell.node.config.LogConfig;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.settings.EffectiveSetting;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/**
 * Command-line options that select a node's configuration: a file, and values that override the file and the
 * environment.
 */
public final class ConfigOptions {
    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "The node's YAML file. Default: conf/twinbell.yaml of the installation.")
    private Path file;

    @Option(names = "--set", paramLabel = "KEY=VALUE", description = "Override a key of the file; repeatable.")
    private List<String> sets = List.of();

    /**
     * Reads the configuration that a node would run with.
     *
     * @throws io.twinbell.node.settings.ConfigException with all errors
     */
    public NodeConfig read(Map<String, String> environment) {
        return ConfigReader.read(file(), environment, sets).with(effective(environment));
    }

    /** Reads the log configuration that its daemon would use; throws as {@link #read}. */
    public LogConfig readLog(Map<String, String> environment) {
        return ConfigReader.readLog(file(), environment, sets);
    }

    /** The effective configuration, key by key; throws as {@link #read}. */
    List<EffectiveSetting> effective(Map<String, String> environment) {
        return ConfigReader.effective(file(), environment, sets);
    }

    /** The source of the configuration, as a phrase for messages. */
    String source() {
        return file() == null ? "the environment" : file().toString();
    }

    /** The file of the option; otherwise the installation's file, which a system property names. */
    private Path file() {
        String installed = System.getProperty("twinbell.config");
        return file != null || installed == null ? file : Path.of(installed);
    }
}
