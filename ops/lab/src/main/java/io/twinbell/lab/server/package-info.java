/** The actions of drills on the servers of a development pair. */
package io.twinbell.lab.server;
