/** The serialized forms that Quartz keeps in its tables, read with nothing but data in mind. */
package io.twinbell.tools.importer.quartz.serialized;
