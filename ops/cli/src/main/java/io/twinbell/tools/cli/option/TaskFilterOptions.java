package io.twinbell.tools.cli.option;

import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Options that select tasks by a filter. All given conditions must hold. */
public final class TaskFilterOptions {
    @Option(names = "--app", paramLabel = "APP", description = "Tasks of this app.")
    private String app;

    @Option(names = "--tag", paramLabel = "TAG", description = "Tasks with this tag.")
    private String tag;

    @Option(names = "--owner", paramLabel = "NAME", description = "Tasks of this owner.")
    private String owner;

    @Option(names = "--state", paramLabel = "STATE", description = "ACTIVE, PAUSED, FINISHED or ERROR.")
    private String state;

    @Option(names = "--handler", paramLabel = "TYPE", description = "http, sql, shell, java or log.")
    private String handler;

    @Option(
            names = {"-q", "--match"},
            paramLabel = "TEXT",
            description = "Tasks whose name contains this text.")
    private String part;

    public QueryString of(String path) {
        return new QueryString(path)
                .with("app", app)
                .with("tag", tag)
                .with("owner", owner)
                .with("state", state == null ? null : state.toUpperCase(Locale.ROOT))
                .with("handler", handler)
                .with("q", part);
    }

    public boolean isGiven() {
        return of("").hasSome();
    }

    Optional<String> app() {
        return Optional.ofNullable(app);
    }

    /** The filter as typed, for a confirmation question. */
    public String words() {
        return of("").path().replaceFirst("\\?", "").replace("&", ", ");
    }
}
