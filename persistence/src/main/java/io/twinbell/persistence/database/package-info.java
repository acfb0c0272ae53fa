/**
 * The way to the database: sessions with the settings that a node needs, dedicated connections, migrations, and
 * the history of the server, so that a node notices a server that has lost commits.
 */
package io.twinbell.persistence.database;
