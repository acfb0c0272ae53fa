/** The node's connections to the database, each with its purpose, and the registers that the API reads and writes. */
package io.twinbell.node.pair.database;
