package io.twinbell.tools.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code twinbell completion}: prints the shell completion script. */
@Command(
        name = "completion",
        description = "Prints a script with which bash or zsh completes commands and options.",
        footer = {
            "  source <(twinbell completion bash)",
            "  twinbell completion zsh > ~/.twinbell-completion && echo source ~/.twinbell-completion >> ~/.zshrc",
        })
final class CompletionCommand implements Callable<Integer> {
    private enum Shell {
        bash,
        zsh
    }

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "SHELL",
            arity = "0..1",
            defaultValue = "bash",
            description = "${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    private Shell shell;

    @Override
    public Integer call() {
        String script = AutoComplete.bash("twinbell", spec.root().commandLine());
        // Zsh reads the script unchanged once its emulation of bash completion is loaded.
        String before = shell == Shell.zsh ? "autoload -U +X compinit && compinit\n" : "";
        spec.commandLine().getOut().print(before + script + "\n");
        spec.commandLine().getOut().flush();
        return 0;
    }
}
