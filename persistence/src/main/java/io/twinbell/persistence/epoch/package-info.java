/**
 * Authority. The epoch is the fencing number, one row in the database; every promotion raises it. A claim or completion
 * carries its {@link io.twinbell.persistence.epoch.Epoch} as a value, and the statement that writes compares it ({@link
 * io.twinbell.persistence.epoch.EpochGuard}): a superseded epoch changes nothing. Also here: heartbeats, requests to
 * move the role, the hold on automatic takeover, and the role history.
 */
package io.twinbell.persistence.epoch;
