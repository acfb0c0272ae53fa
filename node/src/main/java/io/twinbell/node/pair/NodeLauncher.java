package io.twinbell.node.pair;

/** Makes and starts the node of a library builder: a node of a pair, or a node in virtual time. */
@FunctionalInterface
public interface NodeLauncher {
    /** @param code what the program has registered */
    LibraryNode launch(RegisteredCode code);
}
