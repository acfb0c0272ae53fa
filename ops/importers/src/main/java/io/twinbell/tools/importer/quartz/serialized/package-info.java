/** Reads the serialized objects in Quartz's tables as plain data. */
package io.twinbell.tools.importer.quartz.serialized;
