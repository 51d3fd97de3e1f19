import FileSystem
import Foundation
import HTTPTypes
import Hummingbird
import MediaTypes
import RecorderControl

/// Sends files, completely or in part (RFC 9110, 14).
struct FileSending: Sendable {
    /// The maximum number of files that are sent at the same time. Each of them needs a buffer.
    private static let most = 256
    private let slots = Slots(most)

    /// Returns a slot for sending a file. The slot is free again when its last reference is released.
    func slot() throws(ControlError) -> Slots.Slot {
        guard let slot = slots.take() else { throw .tooMany("files", limit: Self.most) }
        return slot
    }

    /// Returns the response with a file.
    ///
    /// - Parameter isInline: True if the browser is to show the file instead of storing it.
    func answer(_ file: OpenRecordingFile, to request: WebRequest, isInline: Bool, _ slot: Slots.Slot) -> Response {
        var headers: HTTPFields = [
            .contentType: Self.type(file.name), .acceptRanges: "bytes", .cacheControl: "private, no-cache",
            .eTag: file.tag, .contentDisposition: Self.disposition(file.name, isInline: isInline),
        ]
        if request.headers[.ifNoneMatch] == file.tag { return Response(status: .notModified, headers: headers) }
        // If the client has a part of an earlier version, a range of this version is useless to it (RFC 9110, 13.1.5).
        let isSame = request.headers[.ifRange].map { $0 == file.tag } ?? true
        switch ByteRange(isSame ? request.headers[.range] : nil, size: file.size) {
        case .outside:
            headers[.contentRange] = "bytes */\(file.size)"
            var error = ControlAnswer.error(
                ControlError(
                    .rangeNotSatisfiable, "badRequest", "cannot send this range: the file has \(file.size) bytes"))
            error.headers[.contentRange] = headers[.contentRange]
            return error
        case .whole:
            return Response(status: .ok, headers: headers, body: Self.body(file, 0..<file.size, request, slot))
        case .part(let range):
            headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.size)"
            return Response(status: .partialContent, headers: headers, body: Self.body(file, range, request, slot))
        }
    }

    /// Sends the file in pieces. Reads each piece after the previous piece was written.
    private static func body(
        _ file: OpenRecordingFile, _ range: Range<Int64>, _ request: WebRequest, _ slot: Slots.Slot
    ) -> ResponseBody {
        ResponseBody(contentLength: range.count) { writer in
            defer { withExtendedLifetime(slot) {} }
            var rest = range
            while !rest.isEmpty {
                let piece = try await file.bytes(rest)
                rest = (rest.lowerBound + Int64(piece.readableBytes))..<rest.upperBound
                try await request.write(piece, to: &writer)
            }
            try await writer.finish(nil)
        }
    }

    private static func type(_ file: String) -> String {
        file.fileExtension.lowercased() == "mov" ? "video/quicktime" : "video/mp4"
    }

    /// Returns the value of `Content-Disposition` (RFC 6266); a name that is not ASCII is encoded by RFC 8187.
    static func disposition(_ file: String, isInline: Bool) -> String {
        let plain = String(
            file.unicodeScalars.map { scalar -> Character in
                let isSafe = scalar.isASCII && scalar.value >= 0x20 && scalar.value != 0x7F
                return isSafe && !["\"", "\\", "%"].contains(scalar) ? Character(scalar) : "_"
            })
        let safe = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        let encoded = file.addingPercentEncoding(withAllowedCharacters: safe) ?? plain
        return "\(isInline ? "inline" : "attachment"); filename=\"\(plain)\"; filename*=UTF-8''\(encoded)"
    }
}
