/** Reads systemd's timer units and the services that they start. */
package io.twinbell.tools.importer.systemd;
