/**
 * The servers of the development pair: a real PostgreSQL and a real ZooKeeper in a process of their own, and what
 * drills do to them.
 */
package io.twinbell.tools.devpair;
