/** Whether a node could run here, and its pair take over: what a person would have to look at one by one. */
package io.twinbell.daemon.doctor;
