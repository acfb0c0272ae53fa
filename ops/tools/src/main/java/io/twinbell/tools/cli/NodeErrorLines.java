package io.twinbell.tools.cli;

import io.twinbell.tools.client.NodeException;
import java.io.PrintWriter;

/** Prints a node's error, with a line for each member of the request that it names. */
final class NodeErrorLines {

    private NodeErrorLines() {}

    static void print(NodeException e, PrintWriter err) {
        err.println(e.getMessage());
        if (e instanceof NodeException.Refused refused && refused.faults().size() > 1) {
            refused.faults().forEach(fault -> err.println("  " + fault.line()));
        }
        err.flush();
    }
}
