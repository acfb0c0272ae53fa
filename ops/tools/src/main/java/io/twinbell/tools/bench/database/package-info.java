/** The database of the pair that is measured, beside its nodes. */
package io.twinbell.tools.bench.database;
