/**
 * Runs the steps of the engine. A part of the engine is a step, a bounded pass that returns how long it may sleep, with
 * a thread around it. This package contains that thread, the timers, the clocks and the trust window. It uses no other
 * package of the engine.
 */
package io.twinbell.node.engine.step;
