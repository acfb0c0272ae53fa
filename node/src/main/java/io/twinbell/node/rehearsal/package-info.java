/** How a node learns its part before it has to play it: an engine of its own fires into tables in memory. */
package io.twinbell.node.rehearsal;
