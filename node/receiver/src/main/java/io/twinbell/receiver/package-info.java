/**
 * The other end of a call: turns calls that Twinbell makes at least once into effects that happen exactly once.
 *
 * <p>A call comes with its key and the epoch of its master. {@link io.twinbell.receiver.ExactlyOnceReceiver} enters both
 * in the receiver's own database, in the transaction of the effect. A repeated call gets the remembered answer. A call of
 * a master that a later one has replaced is refused.
 */
package io.twinbell.receiver;
