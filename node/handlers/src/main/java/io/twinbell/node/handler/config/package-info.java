/** The settings of the handlers of one node: what tasks may do there, and which receivers they may call. */
package io.twinbell.node.handler.config;
