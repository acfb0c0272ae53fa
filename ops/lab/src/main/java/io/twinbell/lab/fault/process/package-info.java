/** Faults of node processes: crashes, freezes, wrong clocks, restarts and moves of the role. */
package io.twinbell.lab.fault.process;
