package io.twinbell.node.explain;

import java.util.OptionalLong;

/**
 * Why a task ran, did not run, or will run at an instant.
 *
 * @param sentence the explanation for people
 * @param fireMillis the fire time that the explanation is about; empty if the instant is not a fire time
 * @param previousMillis the fire time before the instant by the current definition, if known
 * @param nextMillis the fire time after the instant by the current definition, if known
 */
public record SlotExplanation(
        SlotCause cause,
        String sentence,
        OptionalLong fireMillis,
        OptionalLong previousMillis,
        OptionalLong nextMillis) {}
