// SHOWSTACK: the stacks of all threads, in the form of the command's answer and of DUMP messages.
#pragma once

#include <jni.h>

#include "adapters/dyper/documents/xml_writer.h"
#include "adapters/dyper/thread_capture.h"

namespace ddm {

// <THREADS TIME><THREAD ID NAME STATE ...><STACK .../>...; innermost frame first.
void write_stacks(JNIEnv* jni, const ThreadSnapshot& snapshot, XmlWriter& xml);

}  // namespace ddm
