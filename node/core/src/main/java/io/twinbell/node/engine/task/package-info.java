/**
 * A task as the engine sees it: when it fires, and by which policies. {@code TaskCompiler} makes it of the stored text.
 */
package io.twinbell.node.engine.task;
