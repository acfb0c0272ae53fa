package io.twinbell.tools.cli.cluster;

import io.twinbell.tools.cli.option.QueryString;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** Options that name the tasks of a standing pause; without one a command concerns all firing. */
final class StandingPauseOptions {
    static final String PATH = "/api/v1/pauses";

    @ArgGroup
    private Selection selection;

    /** One of them. */
    private static final class Selection {
        @Option(names = "--app", paramLabel = "APP", description = "The tasks of this app, also later ones.")
        private String app;

        @Option(names = "--tag", paramLabel = "TAG", description = "The tasks with this tag, also later ones.")
        private String tag;

        @Option(
                names = "--handler",
                paramLabel = "NAME",
                description = "The tasks with this handler, also later ones: a type such as http, or the key of a java"
                        + " handler.")
        private String handler;

        String key() {
            if (app != null) {
                return "app:" + app;
            }
            return tag != null ? "tag:" + tag : "handler:" + handler;
        }
    }

    boolean isGiven() {
        return selection != null;
    }

    String key() {
        return selection.key();
    }

    String path() {
        return PATH + "/" + QueryString.encoded(key());
    }
}
