import FileSystem
import Glibc
import MediaTypes
import NIOSSL

/// The files of a certificate and its key.
package struct TLSIdentity: Sendable {
    package let certificate: String
    package let key: String

    package init(certificate: String, key: String) { (self.certificate, self.key) = (certificate, key) }

    /// The contents of the two files at one time.
    struct Version: Sendable {
        let mark: Mark
        let configuration: TLSConfiguration
    }

    /// Identifies the versions of the two files, to detect a renewal.
    struct Mark: Equatable, Sendable {
        let certificate: FileMark?
        let key: FileMark?
    }

    var mark: Mark { Mark(certificate: FileMark(certificate), key: FileMark(key)) }

    /// Reads the two files.
    ///
    /// - Throws: An error with the file that cannot be used, and the reason.
    func load() throws(MediaError) -> Version {
        // The mark comes first: if a file changes while it is read, the mark is outdated, and the files are read again.
        let mark = mark
        let chain = try read(certificate, "certificate", "--certificate") {
            try NIOSSLCertificate.fromPEMFile(certificate)
        }
        let secret = try read(key, "private key", "--key") { try NIOSSLPrivateKey(file: key, format: .pem) }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(secret))
        configuration.minimumTLSVersion = .tlsv12
        do { _ = try NIOSSLContext(configuration: configuration) } catch {
            throw MediaError(
                .invalidSettings, "cannot use the certificate \(certificate)",
                reason: "\(key) is not its private key", wayOut: "use the key that the certificate was issued for")
        }
        return Version(mark: mark, configuration: configuration)
    }

    private func read<Value>(
        _ path: String, _ what: String, _ option: String, _ body: () throws -> Value
    ) throws(MediaError) -> Value {
        let action = "cannot use the \(what) \(path)"
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw MediaError(errno: errno, action) }
        Glibc.close(file)
        do { return try body() } catch {
            throw MediaError(
                .invalidSettings, action, reason: "it contains no \(what) in PEM format",
                wayOut: "\(option) needs a file that begins with “-----BEGIN”; are certificate and key swapped?")
        }
    }
}
