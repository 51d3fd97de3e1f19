// The restrictions of this process.
#pragma once

// Takes away what libcamera does not need: files outside of libraries, settings and devices, the network, other
// programs and processes. Call it before any other thread exists. Does what the kernel supports.
void restrictProcess();
