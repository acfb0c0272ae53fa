/**
 * Checks whether a node could run on this machine and whether its pair could take over, in place of manual checks by an
 * operator.
 */
package io.twinbell.daemon.doctor;
