// The restrictions of this process.
#pragma once

// sandbox.cpp takes away what libcamera does not need: files outside of libraries, settings and devices, the network,
// other programs and processes. It does so before the constructors of the libraries run: libcamera's tracing starts
// threads there, and a restriction holds for the calling thread and those that it creates. Does what the kernel
// supports.

// True once the process is restricted.
bool isRestricted();
