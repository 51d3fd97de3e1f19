import Foundation
import HTTPTypes
import Hummingbird
import MediaTypes
import RecorderService

/// Sends files, whole or in part (RFC 9110, 14).
struct FileSending: Sendable {
    /// Files that are being sent; each takes a piece of memory.
    private static let most = 256
    private let slots = Slots(most)

    /// Leave to send a file; it ends when nobody holds it any more.
    func slot() throws(ControlError) -> Slots.Slot {
        guard let slot = slots.take() else { throw .tooMany("files", limit: Self.most) }
        return slot
    }

    /// - Parameter isInline: to be shown, and not to be stored.
    func answer(_ file: RecordingFile, to request: WebRequest, isInline: Bool, _ slot: Slots.Slot) -> Response {
        var headers: HTTPFields = [
            .contentType: Self.type(file.name), .acceptRanges: "bytes", .cacheControl: "private, no-cache",
            .eTag: file.tag, .contentDisposition: Self.disposition(file.name, isInline: isInline),
        ]
        if request.headers[.ifNoneMatch] == file.tag { return Response(status: .notModified, headers: headers) }
        // A part of what the file was before is of no use (RFC 9110, 13.1.5).
        let isSame = request.headers[.ifRange].map { $0 == file.tag } ?? true
        switch ByteRange(isSame ? request.headers[.range] : nil, size: file.size) {
        case .outside:
            headers[.contentRange] = "bytes */\(file.size)"
            var error = ControlAnswer.error(
                ControlError(.rangeNotSatisfiable, "badRequest", "cannot send it: it has \(file.size) bytes"))
            error.headers[.contentRange] = headers[.contentRange]
            return error
        case .whole:
            return Response(status: .ok, headers: headers, body: Self.body(file, 0..<file.size, slot))
        case .part(let range):
            headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.size)"
            return Response(status: .partialContent, headers: headers, body: Self.body(file, range, slot))
        }
    }

    /// Piece by piece, each when the one before is on its way.
    private static func body(_ file: RecordingFile, _ range: Range<Int64>, _ slot: Slots.Slot) -> ResponseBody {
        ResponseBody(contentLength: range.count) { writer in
            defer { withExtendedLifetime(slot) {} }
            var rest = range
            while !rest.isEmpty {
                let piece = try await file.bytes(rest)
                rest = (rest.lowerBound + Int64(piece.readableBytes))..<rest.upperBound
                try await writer.write(piece)
            }
            try await writer.finish(nil)
        }
    }

    private static func type(_ file: String) -> String {
        (file as NSString).pathExtension.lowercased() == "mov" ? "video/quicktime" : "video/mp4"
    }

    /// RFC 6266, with the form of RFC 8187 for what is not ASCII.
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
