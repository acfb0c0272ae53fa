/** The commands that create, list, pause, trigger and remove tasks. */
package io.twinbell.tools.cli.task;
