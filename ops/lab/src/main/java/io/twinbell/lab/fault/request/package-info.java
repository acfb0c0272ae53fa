/** A fault that strikes right after people have requested changes of tasks. */
package io.twinbell.lab.fault.request;
