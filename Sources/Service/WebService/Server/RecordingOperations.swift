import Foundation
import HTTPTypes
import Hummingbird
import MediaTypes
import RealTime
import RecorderControl
import RecorderStorage

/// The requests for recordings, finalized or in progress.
struct RecordingOperations: Sendable {
    let index: RecordingIndex
    let removal: OwnerRemoval
    let sending: FileSending
    private let stills = RecordingStills()

    init(_ index: RecordingIndex, removal: OwnerRemoval, sending: FileSending) {
        (self.index, self.removal, self.sending) = (index, removal, sending)
    }

    func list(_ request: WebRequest) async throws -> Response {
        try request.allowQuery("recorder", "from", "to", "after", "limit")
        var question = RecordingIndex.Question()
        question.recorder = try request.recorder()
        (question.from, question.to) = (try request.time("from"), try request.time("to"))
        if let limit = try request.integer("limit", in: 1...200) { question.limit = limit }
        if let after = request.query["after"] {
            guard let mark = RecordingIndex.Question.Mark(after) else {
                throw ControlError(
                    .notFound, "notFound", "no page follows “\(after.prefix(80))”",
                    wayOut: "use “next” from the previous page as “after”")
            }
            question.after = mark
        }
        let (index, pins, asked) = (index, removal.pins, question)
        let page = try await DiskCall.run { () throws(MediaError) -> RecordingIndex.Page in
            var page = try index.page(asked)
            let known = pins.known(of: asked.recorder)
            for place in page.recordings.indices {
                let path = page.recordings[place].path
                page.recordings[place].pin = pins.pin(of: path, known[path])
            }
            return page
        }
        return ControlAnswer.json(page)
    }

    func recording(_ request: WebRequest) async throws -> Response {
        try request.allowQuery()
        return ControlAnswer.json(try await withPin(try await found(request)))
    }

    private func withPin(_ recording: IndexedRecording) async throws -> IndexedRecording {
        let pins = removal.pins
        return try await DiskCall.run { () throws(MediaError) -> IndexedRecording in
            var recording = recording
            recording.pin = pins.pin(of: recording.path, pins.known(of: recording.recorder)[recording.path])
            return recording
        }
    }

    func still(_ request: WebRequest) async throws -> Response {
        try request.allowQuery("at", "width", "exact")
        let isExact = try request.flag("exact")
        let at = try request.number("at", in: 0...31_536_000)
        let width = try request.integer("width", in: 16...8192)
        let recording = try await found(request)
        var response = ControlAnswer.data(
            try await stills.still(of: recording, at: at, width: width, isExact: isExact), type: "image/jpeg")
        response.headers[.cacheControl] = "private, max-age=60"
        // The header has no file name, because the page names the file after the recorder and the time (RFC 6266, 4.1).
        if isExact { response.headers[.contentDisposition] = "attachment" }
        return response
    }

    private struct DeleteFields: ControlFields {
        static let names = ["file"]
        /// The file name of the recording to delete. It must match the recording, so that no other recording is deleted
        /// by mistake.
        let file: String
    }

    private struct KeepFields: ControlFields {
        static let names = ["file", "note"]
        let file: String
        let note: String?
    }

    func delete(_ request: WebRequest) async throws -> Response {
        let fields = try request.fields(DeleteFields.self)
        let recording = try await found(request, named: fields.file, "delete")
        let removal = removal
        try await change("cannot delete \(recording.file)") { () throws(MediaError) in
            try removal.delete(try removal.plan(recording.path))
        }
        return Response(status: .noContent)
    }

    func keep(_ request: WebRequest) async throws -> Response {
        let fields = try request.fields(KeepFields.self)
        var note: String?
        if let text = fields.note {
            do { note = try RecordingPin.parse(note: text) } catch { throw ControlError.badRequest("\(error)") }
        }
        let recording = try await found(request, named: fields.file, "keep")
        let (pins, chosen) = (removal.pins, note)
        try await change("cannot keep \(recording.file)") { () throws(MediaError) in
            _ = try pins.keep(recording.path, note: chosen)
        }
        return ControlAnswer.json(try await withPin(recording))
    }

    func unkeep(_ request: WebRequest) async throws -> Response {
        let fields = try request.fields(DeleteFields.self)
        let recording = try await found(request, named: fields.file, "unkeep")
        let pins = removal.pins
        try await change("cannot stop keeping \(recording.file)") { () throws(MediaError) in
            _ = try pins.unkeep(recording.path)
        }
        return ControlAnswer.json(try await withPin(recording))
    }

    /// Returns the recording of a request that changes it.
    ///
    /// - Parameter file: The name that the client expects.
    private func found(_ request: WebRequest, named file: String, _ action: String) async throws -> IndexedRecording {
        let recording = try await found(request)
        guard file == recording.file else {
            throw ControlError(
                .conflict, "invalidState", "cannot \(action) the recording: “file” is not the name of this recording",
                wayOut: "reload the list of recordings")
        }
        return recording
    }

    /// Changes a recording. Errors name the recording and not its path, because clients must not see directories.
    private func change(
        _ action: String, _ body: @escaping @Sendable () throws(MediaError) -> Void
    ) async throws(MediaError) {
        do throws(MediaError) { try await DiskCall.run { () throws(MediaError) in try body() } } catch {
            // `WebRoutes` removes directories from the rest.
            throw MediaError(
                error.code, action, reason: error.reason, underlying: error.underlying, wayOut: error.wayOut)
        }
    }

    func file(_ request: WebRequest) async throws -> Response {
        try request.allowQuery("inline")
        let isInline = try request.flag("inline")
        let recording = try await found(request)
        let slot = try sending.slot()
        let file = try await DiskCall.run { () throws(MediaError) in try OpenRecordingFile(recording) }
        return sending.answer(file, to: request, isInline: isInline, slot)
    }

    // MARK: -

    private func found(_ request: WebRequest) async throws -> IndexedRecording {
        let (index, id) = (index, request.names["id"] ?? "")
        let recording = try await DiskCall.run { () throws(MediaError) in try index.recording(id) }
        guard let recording else {
            throw ControlError(
                .notFound, "notFound", "there is no such recording", wayOut: "reload the list of recordings")
        }
        return recording
    }
}
