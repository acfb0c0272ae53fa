package io.twinbell.node.json;

/** Is told how much of a document has been read, and may refuse the rest before it takes more memory. */
@FunctionalInterface
public interface TokenMeter {
    /** Refuses nothing. */
    TokenMeter NONE = tokens -> {};

    /**
     * @param tokens read since the last call
     * @throws RuntimeException to give the document up
     */
    void read(int tokens);
}
