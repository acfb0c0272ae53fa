/**
 * Plans the coming slots of tasks with the engine's own decision, in virtual time, and sums them up. Reads no clock and no
 * table.
 */
package io.twinbell.node.forecast;
