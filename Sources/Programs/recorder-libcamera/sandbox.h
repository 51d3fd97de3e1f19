// The restrictions of this process.
#pragma once

// sandbox.cpp denies what libcamera does not need: files outside of libraries, settings and devices, the network, other
// programs and processes. A restriction applies to the calling thread and to the threads that it creates. libcamera's
// tracing starts threads in a constructor, so the restrictions begin before the constructors of the libraries run. A
// restriction that the kernel does not support is left out.

// True once the process is restricted.
bool isRestricted();
