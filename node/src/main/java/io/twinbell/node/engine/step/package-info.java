/**
 * What steps: a part of the engine is a bounded pass that says how long it may sleep, and a thread around it. Here are that
 * thread, the timers, the clocks, and how long a proof of authority counts. No room of the engine is below this one.
 */
package io.twinbell.node.engine.step;
