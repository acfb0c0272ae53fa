/**
 * Alerts as people write them, the events that they select, and their deliveries. Their content is not interpreted
 * here.
 */
package io.twinbell.node.alert.store;
