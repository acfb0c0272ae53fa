/** Imports the jobs of other schedulers: each becomes a task, or has a reason why not. */
package io.twinbell.tools.importer;
