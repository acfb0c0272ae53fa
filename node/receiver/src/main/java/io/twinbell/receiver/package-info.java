/**
 * For applications that Twinbell calls: each call takes effect exactly once, although Twinbell may send it several times.
 *
 * <p>A call comes with its key and the epoch of its master. {@link io.twinbell.receiver.ExactlyOnceReceiver} enters both
 * in the receiver's own database, in the transaction of the effect. A repeated call gets the remembered answer. A call of
 * a master that a later one has replaced is refused.
 */
package io.twinbell.receiver;
