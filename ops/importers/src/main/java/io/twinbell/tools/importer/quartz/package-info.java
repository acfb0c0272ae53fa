/** Imports Quartz's JDBC store: interprets its rows and converts each to a task. */
package io.twinbell.tools.importer.quartz;
