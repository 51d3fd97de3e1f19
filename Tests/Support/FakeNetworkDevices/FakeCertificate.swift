import COpenSSL

/// A self-signed certificate with its key, for cameras in software.
package final class FakeCertificate: @unchecked Sendable {
    // Unchecked: neither changes after `init`, and OpenSSL counts references under a lock of its own.
    let certificate: OpaquePointer
    let key: OpaquePointer

    package struct Failure: Error {}

    /// - Parameters:
    ///   - name: The name that clients check, such as "IP:127.0.0.1" or "DNS:camera" (x509v3_config(5)).
    ///   - seconds: The time from now to the end of its validity, which begins a week ago.
    package init(name: String = "IP:127.0.0.1", validFor seconds: Int = 86_400) throws {
        // At `exit`, OpenSSL would free what other threads still use.
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
        guard let key = Self.newKey(), let made = Self.unsigned(name: name, validFor: seconds) else { throw Failure() }
        certificate = made
        self.key = key
        guard X509_set_pubkey(made, key) == 1, X509_sign(made, key, EVP_sha256()) > 0 else { throw Failure() }
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    private static func newKey() -> OpaquePointer? {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
            EVP_PKEY_generate(context, &key) == 1
        else { return nil }
        return key
    }

    private static func unsigned(name: String, validFor seconds: Int) -> OpaquePointer? {
        guard let made = X509_new() else { return nil }
        X509_set_version(made, 2)
        ASN1_INTEGER_set(X509_get_serialNumber(made), 1)
        X509_gmtime_adj(X509_getm_notBefore(made), -7 * 86_400)
        X509_gmtime_adj(X509_getm_notAfter(made), seconds)
        let subject = X509_get_subject_name(made)
        let common = Array("camera".utf8)
        // MBSTRING_ASC.
        X509_NAME_add_entry_by_txt(subject, "CN", 0x1001, common, Int32(common.count), -1, 0)
        X509_set_issuer_name(made, subject)
        guard let names = X509V3_EXT_conf_nid(nil, nil, NID_subject_alt_name, name) else {
            X509_free(made)
            return nil
        }
        X509_add_ext(made, names, -1)
        X509_EXTENSION_free(names)
        return made
    }

    /// The certificate as text, without the key.
    package var pem: [UInt8] {
        guard let text = BIO_new(BIO_s_mem()) else { return [] }
        defer { BIO_free(text) }
        guard PEM_write_bio_X509(text, certificate) == 1 else { return [] }
        let count = Int(BIO_ctrl_pending(text))
        return Array(unsafeUninitializedCapacity: count) { bytes, used in
            used = max(0, Int(BIO_read(text, bytes.baseAddress, Int32(clamping: count))))
        }
    }
}
