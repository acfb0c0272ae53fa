/** What every route shares: paths, request bodies, query parameters, responses and problems. */
package io.twinbell.node.api.exchange;
