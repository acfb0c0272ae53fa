/** Alerts as people write them, what has happened for them, and their deliveries. What they mean is not known here. */
package io.twinbell.persistence.alert;
