package io.twinbell.node.engine.trigger;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.step.EngineEvent;
import io.twinbell.node.loop.Signals;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ActionQueueTest {
    private final AtomicInteger wakes = new AtomicInteger();
    private final ActionQueue queue =
            new ActionQueue(2, new Signals<>(EngineEvent.class).on(EngineEvent.ACTION_ADDED, wakes::incrementAndGet));

    @Test
    void actions_come_out_in_the_order_they_went_in_and_each_wakes_the_reader() {
        HeapAction first = new HeapAction.Remove(1);
        HeapAction second = new HeapAction.Remove(2);
        queue.add(first);
        queue.add(second);
        assertEquals(2, wakes.get());
        assertEquals(2, queue.depth());
        assertSame(first, queue.poll());
        assertSame(second, queue.poll());
        assertNull(queue.poll());
    }

    @Test
    void adding_to_a_full_queue_waits_and_loses_nothing_even_if_interrupted() throws Exception {
        queue.add(new HeapAction.Remove(1));
        queue.add(new HeapAction.Remove(2));
        Thread adder = new Thread(() -> queue.add(new HeapAction.Remove(3)));
        adder.start();
        adder.interrupt();
        await().until(() -> adder.getState() == Thread.State.WAITING);
        assertEquals(2, queue.depth());
        assertEquals(new HeapAction.Remove(1), queue.poll());
        adder.join();
        assertEquals(new HeapAction.Remove(2), queue.poll());
        assertEquals(new HeapAction.Remove(3), queue.poll());
    }

    @Test
    void an_interrupt_that_came_while_waiting_is_kept_for_whoever_added() {
        Thread.currentThread().interrupt();
        queue.add(new HeapAction.Remove(1));
        assertTrue(Thread.interrupted());
        assertEquals(1, queue.depth());
    }
}
