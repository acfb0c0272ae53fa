/**
 * The clocks of a node: the one that only advances, and the database's clock, as the node measured it.
 */
package io.twinbell.persistence.clock;
