/** Routes that create, read, change, remove and preview tasks. */
package io.twinbell.node.api.task;
