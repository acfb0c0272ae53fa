/** The client on whose behalf a thread makes a change, as the audit shows it. */
package io.twinbell.persistence.actor;
