/** Calls webhooks when something goes wrong: reads alerts, gathers their events, and sends deliveries. */
package io.twinbell.node.alert;
