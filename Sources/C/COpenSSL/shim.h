// OpenSSL's libcrypto and libssl, from version 3.0 on: algorithms and TLS.
#ifndef RECORDER_COPENSSL_SHIM_H
#define RECORDER_COPENSSL_SHIM_H
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/provider.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// The macros below have parameters, so Swift does not import them.

// Requires TLS 1.2 or later. If openssl.cnf sets a higher minimum, that is kept. Returns 1, or 0 for an error.
static inline int copenssl_require_tls12(SSL_CTX *context) {
    if (SSL_CTX_get_min_proto_version(context) >= TLS1_2_VERSION) return 1;
    return (int)SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

// Refuses a second handshake in a connection of TLS 1.2, so that a write never has to wait for a read.
static inline void copenssl_refuse_renegotiation(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
}

// Names the server in the handshake (RFC 6066, 3). Returns 1, or 0 for an error.
static inline int copenssl_set_server_name(SSL *connection, const char *name) {
    return (int)SSL_set_tlsext_host_name(connection, name);
}
#endif
