/** The clocks of a node: the monotonic clock, and the database's clock as the node measured it. */
package io.twinbell.persistence.clock;
