package io.twinbell.tools.verify.command;

import io.twinbell.tools.cli.CommandSource;
import io.twinbell.tools.cli.importer.ImportCommand;
import io.twinbell.tools.drill.DrillCommand;
import java.util.List;

/** The commands {@code verify}, {@code bench}, {@code drill} and {@code import}. */
public final class ToolCommands implements CommandSource {
    @Override
    public List<Object> commands() {
        return List.of(new VerifyCommand(), new ImportCommand(), new DrillCommand(), new BenchCommand());
    }
}
