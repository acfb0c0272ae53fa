/**
 * The parts that change the node's role: its two system tasks, moves at an operator's request, and the probes by which
 * a node finds out whether the other one still runs.
 */
package io.twinbell.node.pair.role;
