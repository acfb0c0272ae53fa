/** Read-only queries about a database from outside, for {@code twinbell doctor}. A node does not need them to run. */
package io.twinbell.daemon.survey;
