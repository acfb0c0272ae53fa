/** The commands that list, cancel, release and rerun executions. */
package io.twinbell.tools.cli.execution;
