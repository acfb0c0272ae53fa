/** The texts of schedules: durations, quoted input, and the error for invalid text. */
package io.twinbell.node.schedule.text;
