/** Creates the roles, the database and the schema of a pair, as an administrator of the server, and admits its nodes. */
package io.twinbell.node.setup;
