// libxcrypt, the C library's password hashing: crypt(3), crypt_gensalt(3).
#ifndef RECORDER_CCRYPT_SHIM_H
#define RECORDER_CCRYPT_SHIM_H
#include <crypt.h>
#endif
