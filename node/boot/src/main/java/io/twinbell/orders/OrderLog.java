package io.twinbell.orders;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.springframework.stereotype.Component;

/** What the handlers have done, and what holds one of them. */
@Component
class OrderLog {
    final BlockingQueue<String> runs = new LinkedBlockingQueue<>();
    final CountDownLatch slowHasStarted = new CountDownLatch(1);
    final CountDownLatch slowMayEnd = new CountDownLatch(1);
}
