/**
 * The command line {@code twinbell}: a class for each command. A write that must not happen twice goes to one node only.
 */
package io.twinbell.tools.cli;
