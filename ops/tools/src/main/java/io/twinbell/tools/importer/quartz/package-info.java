/** Quartz's JDBC store: what its rows mean, and what each becomes here. */
package io.twinbell.tools.importer.quartz;
