/** Drills an installed pair: a fault of the node on this machine, while the other node is observed over HTTP. */
package io.twinbell.tools.drill.installed;
