/** Routes for what tasks refer to by name: calendars, limits, defaults, standing pauses and alerts. */
package io.twinbell.node.api.catalog;
