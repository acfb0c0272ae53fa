/** OpenTelemetry spans of attempts, for programs that have an OpenTelemetry SDK. */
package io.twinbell.node.handler.trace;
