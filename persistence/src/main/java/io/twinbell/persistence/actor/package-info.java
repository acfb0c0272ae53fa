/** On whose behalf a thread changes something, as the audit shows it. */
package io.twinbell.persistence.actor;
