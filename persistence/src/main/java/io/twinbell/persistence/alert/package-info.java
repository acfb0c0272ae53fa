/**
 * Alerts as people write them, the events that they select, and their deliveries. This module does not interpret their
 * content.
 */
package io.twinbell.persistence.alert;
