/** Tasks and what belongs to them as files that people keep: reading them, writing them, and telling them from what a pair has. */
package io.twinbell.tools.manifest;
