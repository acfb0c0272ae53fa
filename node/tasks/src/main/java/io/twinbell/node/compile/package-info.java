/** What the engine has to know of stored definitions: it compiles them, and decides changes that were made by SQL. */
package io.twinbell.node.compile;
