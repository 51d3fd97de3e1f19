import Cryptography
import FileSystem
import Foundation
package import MediaTypes
import RecorderControl

/// Decides who may read the metrics. If a token is set, a client needs the token. If addresses are set, the client's
/// address must be in one of the ranges.
package struct MetricsAccess: Sendable {
    /// The hash of the token; nil without one.
    private let token: Digest?
    private let ranges: [AddressRange]

    /// Reads the token.
    ///
    /// - Parameters:
    ///   - tokenFile: A file with the token in its first line; nil for none.
    ///   - ranges: The addresses that may read the metrics; empty for all.
    package init(tokenFile: String?, from ranges: [AddressRange]) throws(MediaError) {
        var token: Digest?
        if let tokenFile { token = Self.hash(try Self.read(tokenFile)) }
        self.token = token
        self.ranges = ranges
    }

    /// Returns the reason why a client may not read the metrics; nil if the client may read them.
    ///
    /// - Parameters:
    ///   - authorization: The header `Authorization`.
    ///   - address: The client's address; nil on a Unix socket.
    func refusal(authorization: String?, from address: String?) -> ControlError? {
        let isNear = address.map { address in ranges.contains { $0.contains(address) } } ?? false
        guard ranges.isEmpty || isNear else {
            return .forbidden(
                "cannot show the metrics", "this address is not allowed to read them",
                wayOut: "add it with `recorder web --metrics-from ADDRESS`")
        }
        guard let token else { return nil }
        let given = Self.hash(Self.bearer(authorization) ?? "")
        // The comparison takes constant time.
        guard given == token else {
            return ControlError(
                .unauthorized, "notPermitted", "cannot show the metrics: the token is missing or wrong",
                wayOut: "send `Authorization: Bearer TOKEN`, with the token of `recorder web --metrics-token`")
        }
        return nil
    }

    /// Returns the token in a header `Bearer TOKEN` (RFC 6750, 2.1).
    private static func bearer(_ header: String?) -> String? {
        let words = header?.split(separator: " ") ?? []
        return words.count == 2 && words[0].lowercased() == "bearer" ? String(words[1]) : nil
    }

    private static func hash(_ text: String) -> Digest { SHA256.hash(data: text.utf8) }

    private static func read(_ path: String) throws(MediaError) -> String {
        let action = "cannot use the token in \(path)"
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw MediaError(errno: errno, action) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let bytes = (try? file.read(upToCount: 4096)) ?? Data()
        let line = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).first ?? ""
        let token = line.trimmingCharacters(in: .whitespaces)
        guard (16...1024).contains(token.utf8.count), token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw MediaError(
                .invalidSettings, action,
                reason: "its first line must be 16 to 1024 ASCII characters without spaces",
                wayOut: "`openssl rand -hex 32` prints a good one")
        }
        return token
    }
}
