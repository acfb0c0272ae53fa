/**
 * Manifests: tasks and related objects as files that people keep. Reads them, writes them, and compares them with a
 * pair.
 */
package io.twinbell.tools.manifest;
