/** Access to the measured pair's database. */
package io.twinbell.tools.bench.database;
