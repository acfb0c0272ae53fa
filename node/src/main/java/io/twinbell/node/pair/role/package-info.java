/**
 * What drives and moves the node's role: its two system tasks, moves at an operator's request, and the signs by which a
 * node reports whether the other one still runs.
 */
package io.twinbell.node.pair.role;
