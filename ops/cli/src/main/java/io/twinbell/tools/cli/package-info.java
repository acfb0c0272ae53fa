/**
 * The command line {@code twinbell}: a class for each command, in a package for each topic. Commands speak HTTP to either node; a write that must not happen twice is sent to one node only.
 */
package io.twinbell.tools.cli;
