/**
 * Access to the database: sessions with the settings that a node needs, dedicated connections, migrations, and the
 * history of the server. By that history a node recognises a server that has lost commits.
 */
package io.twinbell.persistence.database;
