/** The servers of the development pair: a real PostgreSQL and a real ZooKeeper in a separate process. */
package io.twinbell.tools.devpair;
