/**
 * Temporary pairs for drills that would break the running one: servers, nodes, networks, clocks and replicas that a
 * drill starts and removes. No process outlives the drill.
 */
package io.twinbell.lab.own;
