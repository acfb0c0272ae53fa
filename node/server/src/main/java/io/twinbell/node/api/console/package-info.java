/** Serves the files of the web console. Its pages use the API like any other client. */
package io.twinbell.node.api.console;
