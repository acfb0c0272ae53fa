/** Custom schedules: the interfaces that an embedding program or a plugin implements. */
package io.twinbell.schedule;
