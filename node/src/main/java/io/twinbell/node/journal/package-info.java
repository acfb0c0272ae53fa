/** The commits that the database has confirmed in the last minutes, and the repair of a promoted server that lost some. */
package io.twinbell.node.journal;
