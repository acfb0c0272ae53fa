package io.twinbell.node.json;

/** Counts the tokens of a document while it is read, and may refuse the rest to bound memory. */
@FunctionalInterface
public interface TokenMeter {
    /** Never refuses. */
    TokenMeter NONE = tokens -> {};

    /**
     * @param tokens read since the last call
     * @throws RuntimeException to refuse the document
     */
    void read(int tokens);
}
