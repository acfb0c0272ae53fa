package io.twinbell.node.schedule.custom;

import io.twinbell.node.schedule.local.LocalPattern;

/**
 * A parsed schedule of one's own.
 *
 * @param words describes it, without its zone
 */
public record CustomSchedule(LocalPattern pattern, String words) {}
