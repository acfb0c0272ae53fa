/**
 * The stage on which a fault acts: the pair with its processes and servers, the roles when the round began, and the
 * repairs that are made however the round ends.
 */
package io.twinbell.lab.stage;
