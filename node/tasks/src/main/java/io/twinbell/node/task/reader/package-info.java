/**
 * Reads the parts of a task definition from JSON, each with its defaults and bounds. An error names the member and its
 * place.
 */
package io.twinbell.node.task.reader;
