/** Routes for what tasks refer to by name: calendars, limits and alerts. */
package io.twinbell.node.api.catalog;
