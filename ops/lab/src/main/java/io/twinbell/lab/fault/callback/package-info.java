/** Faults that strike while receivers work on executions whose outcome comes by a callback. */
package io.twinbell.lab.fault.callback;
