/** The commands that import jobs of other schedulers. */
package io.twinbell.tools.importer.command;
