/** Local times without a zone: the patterns that match them, and calendar arithmetic that allocates nothing. */
package io.twinbell.node.schedule.local;
