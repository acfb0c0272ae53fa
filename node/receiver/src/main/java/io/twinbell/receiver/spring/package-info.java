/** The receiver in the transactions of Spring, which the application's own repositories join. */
package io.twinbell.receiver.spring;
