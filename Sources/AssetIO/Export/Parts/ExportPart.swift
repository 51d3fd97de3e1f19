package import Foundation
package import MediaTypes

/// What of a copy an export makes: all of it, or a part that is put together with the others later (`docs/decisions/stretches.md`).
///
/// Parts are files of QuickTime, whatever the copy will be. Made with the same configuration they give the frames, times, tracks
/// and facts of an export of the whole.
package enum ExportPart: Sendable, Hashable {
    case whole
    /// The pictures of a stretch, without anything else.
    ///
    /// - threads: of the encoder, where the settings name no number; nil: its usual ones.
    case pictures(TimeRange, threads: Int?)
    /// All sound that is encoded, over the whole length.
    case sound
    /// The copy: what the parts hold is not encoded again, and the rest is as in an export of the whole.
    case joined(EncodedParts)
}

/// The parts of a copy that were encoded each for itself.
package struct EncodedParts: Sendable, Hashable {
    /// The stretches, in their order.
    package var pictures: [URL]
    /// nil where no sound is encoded.
    package var sound: URL?

    package init(pictures: [URL] = [], sound: URL? = nil) { (self.pictures, self.sound) = (pictures, sound) }
}

extension ExportPlan {
    /// The plan of a part of the copy.
    ///
    /// - Throws: `invalidSettings` for a film that is not to be made of parts.
    func part(_ part: ExportPart) throws(MediaError) -> ExportPlan {
        if part == .whole { return self }
        try requirePartible()
        var plan = self
        switch part {
        case .whole, .joined: return plan
        case .sound:
            plan.outputs = outputs.filter { $0.audioSettings != nil }
            guard !plan.outputs.isEmpty else { throw Self.refusal("no sound of it is encoded") }
        case .pictures(let stretch, let threads):
            plan.outputs = outputs.compactMap { $0.asPart(threads: threads) }
            // What the header says of the film's end may be wrong.
            if stretch.end < range.end { plan.cutsEnd = true }
            // All parts have the film's own times.
            plan.sessionStart = range.start
            plan.stored = stretch
            let around = plan.outputs.compactMap(\.videoSettings).first.map(StretchSurroundings.init)
            plan.range = TimeRange(
                start: max(range.start, stretch.start - (around?.lead ?? .zero)),
                end: min(stretch.end + (around?.tail ?? .zero), range.end))
        }
        (plan.metadata, plan.chapters, plan.timecode) = ([], [], nil)
        return plan
    }

    /// Whether any sound of it is encoded.
    var encodesSound: Bool { outputs.contains { $0.audioSettings != nil } }

    /// Whether its pictures may be encoded in stretches: nothing that is decided for one of them depends on another.
    ///
    /// - Throws: `invalidSettings`, with the reason.
    func requirePartible() throws(MediaError) {
        if configuration.fileLengthLimit > 0 {
            throw Self.refusal("a limit on the size shares bits out over the whole film", "leave out --max-size")
        }
        var pictures: (settings: VideoSettings, steps: PictureSteps)?
        for planned in outputs {
            switch planned {
            case .video(_, let settings, let steps):
                guard pictures == nil else { throw Self.refusal("it has several tracks of pictures") }
                pictures = (settings, steps)
            case .composition: throw Self.refusal("its pictures are drawn from several")
            case .passthrough(let track) where track.mediaType == .video:
                throw Self.refusal("its pictures are not encoded")
            case .passthrough, .audio, .mix: break
            }
        }
        guard let pictures else { throw Self.refusal("no pictures of it are encoded") }
        if case .bitRate = pictures.settings.rateControl {
            throw Self.refusal(
                "a bit rate is shared out over the whole film", "give a constant quality, with --quality or --crf")
        }
        if pictures.steps.frameRate != nil || pictures.steps.deinterlaces {
            throw Self.refusal(
                "pictures at equal distances, and whole ones of fields, are made of their neighbours",
                "leave out --frame-rate and --deinterlace")
        }
    }

    private static func refusal(_ reason: String, _ wayOut: String = "encode it as a whole") -> MediaError {
        MediaError(.invalidSettings, "cannot encode the film in stretches", reason: reason, wayOut: wayOut)
    }
}

extension ExportPlan.OutputTrack {
    /// nil: no pictures.
    fileprivate func asPart(threads: Int?) -> Self? {
        guard case .video(let track, var settings, let steps) = self else { return nil }
        settings.threadCount = settings.threadCount ?? threads
        settings.isJoined = true
        return .video(track, settings, steps)
    }
}
