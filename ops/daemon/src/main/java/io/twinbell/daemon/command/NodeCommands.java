package io.twinbell.daemon.command;

import io.twinbell.tools.cli.CommandSource;
import java.util.List;

/** The commands that read a node's configuration, for the operators' command line. */
public final class NodeCommands implements CommandSource {
    @Override
    public List<Object> commands() {
        return List.of(new ConfigCommand(), new DoctorCommand(), new InitDbCommand());
    }
}
