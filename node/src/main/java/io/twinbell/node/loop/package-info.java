/** Loops that try again after an error: how long each has made no progress, and what it had to set aside. */
package io.twinbell.node.loop;
