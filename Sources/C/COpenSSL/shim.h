// libcrypto, OpenSSL's algorithms, from version 3.0 on. What is used of it imports into Swift without help.
#ifndef RECORDER_COPENSSL_SHIM_H
#define RECORDER_COPENSSL_SHIM_H
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#endif
