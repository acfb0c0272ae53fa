/** The receiver that the tasks of a drill call: a process of its own, and the log of the calls that it saw. */
package io.twinbell.tools.drill.receiver;
