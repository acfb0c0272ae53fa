package io.twinbell.node.command;

/** Whom a command answers: a person, or a program. */
enum OutputFormat {
    text,
    json
}
