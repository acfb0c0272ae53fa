package io.twinbell.receiver;

import java.sql.Connection;

/** What a call does, in the transaction that also remembers the call. */
@FunctionalInterface
public interface CallEffect {
    /**
     * @param connection the open transaction; the effect must not commit it, roll it back or close it
     * @throws Exception rolls everything back
     */
    ReceiverAnswer apply(Connection connection) throws Exception;
}
