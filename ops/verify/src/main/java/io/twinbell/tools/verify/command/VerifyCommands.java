package io.twinbell.tools.verify.command;

import io.twinbell.tools.cli.CommandSource;
import io.twinbell.tools.drill.installed.InstalledDrillCommand;
import java.util.List;

/** The commands {@code verify}, {@code bench} and {@code drill}. */
public final class VerifyCommands implements CommandSource {
    @Override
    public List<Object> commands() {
        return List.of(new VerifyCommand(), new InstalledDrillCommand(), new BenchCommand());
    }
}
