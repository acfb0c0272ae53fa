/**
 * The servers of the development pair: a real PostgreSQL and a real ZooKeeper in a separate process, and the actions of
 * drills on them.
 */
package io.twinbell.tools.devpair;
