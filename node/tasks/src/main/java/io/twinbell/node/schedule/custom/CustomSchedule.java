package io.twinbell.node.schedule.custom;

import io.twinbell.node.schedule.local.LocalPattern;

/**
 * A parsed custom schedule.
 *
 * @param words describes it, without its zone
 */
public record CustomSchedule(LocalPattern pattern, String words) {}
