package io.twinbell.node.setup;

/** Names and texts as SQL writes them. */
final class SqlText {
    private SqlText() {}

    static String identifier(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    static String literal(String text) {
        return "'" + text.replace("'", "''") + "'";
    }
}
