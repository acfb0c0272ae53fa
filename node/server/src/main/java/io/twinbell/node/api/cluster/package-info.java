/** Routes that show the pair and control it, and the health checks. */
package io.twinbell.node.api.cluster;
