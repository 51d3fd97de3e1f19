import Foundation
import HTTPTypes
import Hummingbird
import MediaTypes
import RealTime
import RecorderService

/// Finished recordings, and those that are being written.
struct RecordingOperations: Sendable {
    let index: RecordingIndex
    let removal: OwnerRemoval
    private let stills = RecordingStills()
    /// Files that are being sent; each takes a piece of memory.
    private let sending = Slots(256)

    init(_ index: RecordingIndex, removal: OwnerRemoval) { (self.index, self.removal) = (index, removal) }

    func list(_ request: WebRequest) async throws -> Response {
        try request.allowQuery("recorder", "from", "to", "after", "limit")
        var question = RecordingIndex.Question()
        if let name = request.query["recorder"] {
            guard (try? RecordingName(parsing: name)) != nil else {
                throw ControlError.badRequest("cannot use the query: “recorder” is no recorder's name")
            }
            question.recorder = name
        }
        (question.from, question.to) = (try request.time("from"), try request.time("to"))
        if let limit = try request.integer("limit", in: 1...200) { question.limit = limit }
        if let after = request.query["after"] {
            guard let mark = RecordingIndex.Question.Mark(after) else {
                throw ControlError(
                    .notFound, "notFound", "there is no page after “\(after.prefix(80))”",
                    wayOut: "“after” is “next” of the page before")
            }
            question.after = mark
        }
        let (index, asked) = (index, question)
        return ControlAnswer.json(try await looking { () throws(MediaError) in try index.page(asked) })
    }

    func recording(_ request: WebRequest) async throws -> Response {
        try request.allowQuery()
        return ControlAnswer.json(try await found(request))
    }

    func still(_ request: WebRequest) async throws -> Response {
        try request.allowQuery("at", "width")
        let at = try request.number("at", in: 0...31_536_000)
        let width = try request.integer("width", in: 16...8192)
        var response = ControlAnswer.data(
            try await stills.still(of: try await found(request), at: at, width: width), type: "image/jpeg")
        response.headers[.cacheControl] = "private, max-age=60"
        return response
    }

    private struct DeleteFields: ControlFields {
        static let names = ["file"]
        /// The recording's, so that no other one goes by mistake.
        let file: String
    }

    func delete(_ request: WebRequest) async throws -> Response {
        let fields = try request.fields(DeleteFields.self)
        let recording = try await found(request)
        guard fields.file == recording.file else {
            throw ControlError(
                .conflict, "invalidState", "cannot delete it: it is another recording",
                wayOut: "load the list of recordings again")
        }
        let removal = removal
        do throws(MediaError) {
            try await looking { () throws(MediaError) in try removal.delete(try removal.plan(recording.path)) }
        } catch {
            // Directories stay on the machine, in what is said too.
            let plain = { (text: String) in text.replacing(/\/[^\s,]*\//, with: "") }
            throw MediaError(
                error.code, "cannot delete \(recording.file)", reason: plain(error.reason),
                underlying: error.underlying, wayOut: plain(error.wayOut))
        }
        return Response(status: .noContent)
    }

    // MARK: Files

    func file(_ request: WebRequest) async throws -> Response {
        try request.allowQuery("inline")
        let isInline = try request.flag("inline")
        let recording = try await found(request)
        guard let slot = sending.take() else { throw ControlError.tooMany("files", limit: 256) }
        let file = try await looking { () throws(MediaError) in try RecordingFile(recording) }
        var headers: HTTPFields = [
            .contentType: Self.type(recording.file), .acceptRanges: "bytes", .cacheControl: "private, no-cache",
            .eTag: file.tag, .contentDisposition: Self.disposition(recording.file, isInline: isInline),
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

    // MARK: -

    private func found(_ request: WebRequest) async throws -> IndexedRecording {
        let (index, id) = (index, request.names["id"] ?? "")
        guard let recording = try await looking({ () throws(MediaError) in try index.recording(id) }) else {
            throw ControlError(
                .notFound, "notFound", "there is no such recording", wayOut: "load the list of recordings again")
        }
        return recording
    }

    private func looking<Value: Sendable>(
        _ body: @escaping @Sendable () throws(MediaError) -> Value
    ) async throws(MediaError) -> Value {
        let result = await blockingCall("recordings") { () -> Result<Value, MediaError> in
            do throws(MediaError) { return .success(try body()) } catch { return .failure(error) }
        }
        return try result.get()
    }
}
