/**
 * The commands of the command line that read a node's configuration: {@code config check}, {@code doctor} and {@code
 * init-db}.
 */
package io.twinbell.daemon.command;
