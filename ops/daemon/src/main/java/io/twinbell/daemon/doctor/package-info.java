/**
 * Checks whether a node could run on this machine and whether its pair could take over, so that an operator need not
 * check by hand.
 */
package io.twinbell.daemon.doctor;
