package io.twinbell.tools.cli.option;

import io.twinbell.node.json.ControlCharacters;
import io.twinbell.tools.client.NodeException;
import java.io.PrintWriter;

/** Prints a node's error, with a line for each member of the request that it names. */
public final class NodeErrorLines {

    private NodeErrorLines() {}

    public static void print(NodeException e, PrintWriter err) {
        err.println(ControlCharacters.spaced(String.valueOf(e.getMessage())));
        if (e instanceof NodeException.Refused refused && refused.faults().size() > 1) {
            refused.faults().forEach(fault -> err.println("  " + ControlCharacters.spaced(fault.line())));
        }
        err.flush();
    }
}
