import Foundation
import MediaTypes
import MovieFile

/// The start of a writer, from inputs to running threads.
extension WriterCore {
    private var identity: ObjectIdentifier { ObjectIdentifier(self) }

    // MARK: Inputs and groups

    func add(_ input: AssetWriterInput) throws(MediaError) {
        try shared.withLock { shared throws(MediaError) in
            try shared.writer.requireUnstarted("cannot add an input")
            if let fault = ContainerFit.fault(input, in: fileType) { throw fault }
            guard input.attach(to: identity) else {
                throw MediaError(.invalidState, "cannot add an input", reason: "it belongs to a writer already")
            }
            shared.inputs.append(input)
        }
    }

    func canAdd(_ group: InputGroup) -> Bool { shared.withLock { groupFault(group, $0) == nil } }

    func add(_ group: InputGroup) throws(MediaError) {
        try shared.withLock { shared throws(MediaError) in
            if let fault = groupFault(group, shared) { throw fault }
            shared.groups.append(group)
        }
    }

    private func groupFault(_ group: InputGroup, _ shared: Shared) -> MediaError? {
        let action = "cannot add a group"
        do throws(MediaError) { try shared.writer.requireUnstarted(action) } catch { return error }
        guard group.inputs.allSatisfy({ input in shared.inputs.contains { $0 === input } }) else {
            return MediaError(.invalidState, action, reason: "one of its inputs was not added to this writer")
        }
        let grouped = Set(shared.groups.flatMap(\.inputs).map(ObjectIdentifier.init))
        guard !group.inputs.contains(where: { grouped.contains(ObjectIdentifier($0)) }) else {
            return MediaError(.invalidState, action, reason: "one of its inputs is in a group already")
        }
        return nil
    }

    // MARK: Starting

    func start(_ configuration: AssetWriter.Configuration) throws(MediaError) {
        let fed = try shared.withLock { shared throws(MediaError) in
            try shared.writer.start(inputCount: shared.inputs.count)
            return shared.inputs
        }
        do throws(MediaError) {
            for input in fed {
                if let fault = ContainerFit.fault(input, in: fileType) { throw fault }
                try checkAssociations(of: input, among: fed)
            }
            var encoders: [any TrackEncoder] = []
            for input in fed {
                encoders.append(try foundations.makeEncoder(input, configuration.directoryForTemporaryFiles))
            }
            let wanted = configuration.muxing(fileType, of: fed)
            let tracks = try muxerTracks(fed, encoders, configuration)
            if destination.isSegmented, wanted.segmentProfile == .cmaf, tracks.all.count > 1 {
                throw MediaError(
                    .invalidSettings, "cannot start writing",
                    reason: "a CMAF stream holds one track (ISO/IEC 23000-19, 7.3), but \(tracks.all.count) were added",
                    wayOut: "create a writer for each, or choose the profile hls")
            }
            try destination.open(wanted)
            do throws(MediaError) {
                try startThreads(fed, encoders, Muxer(wanted, tracks: tracks, isSegmented: destination.isSegmented))
            } catch {
                destination.discard()
                throw error
            }
        } catch {
            fail(error)
            throw error
        }
    }

    /// Returns the muxer's tracks, including those for titles and timecode that the configuration requests.
    private func muxerTracks(
        _ inputs: [AssetWriterInput], _ encoders: [any TrackEncoder], _ configuration: AssetWriter.Configuration
    ) throws(MediaError) -> MuxerTracks {
        let movie = MovieTrack.tracks(of: inputs, encoders: encoders, groups: groups)
        var tracks = MuxerTracks(
            zip(movie, inputs).map { movie, input in
                // The header contains the time from the start of decoding to the session. It is known only from the
                // first packets.
                let tellsLater = input.isInterleaved && input.outputSettings == nil
                return MuxerTracks.Track(
                    movie: movie, isAnnounced: movie.format != nil && !tellsLater, edits: input.configuration.edits)
            })
        let hasChapters = shared.withLock { !$0.chapters.isEmpty }
        if configuration.writesChapters || hasChapters { try tracks.addChapters() }
        if let timecode = configuration.timecode { try tracks.addTimecode(timecode) }
        try tracks.check(fileType)
        return tracks
    }

    private func checkAssociations(of input: AssetWriterInput, among inputs: [AssetWriterInput]) throws(MediaError) {
        for reference in input.associations where !inputs.contains(where: { $0 === reference.input }) {
            throw MediaError(
                .invalidSettings, "cannot start writing",
                reason: "the \(input.mediaType) track refers to a \(reference.input.mediaType) track of another writer",
                wayOut: "add both inputs to this writer")
        }
    }

    private func startThreads(
        _ inputs: [AssetWriterInput], _ encoders: [any TrackEncoder], _ muxer: Muxer
    ) throws(MediaError) {
        let gate = InterleavingGate(
            Interleaving(
                fragmentInterval: muxer.configuration.fragmentInterval, takesPart: inputs.map(\.isInterleaved)))
        let paths = zip(inputs, encoders).enumerated().map { index, pair in
            pair.0.makePath(index: index, encoder: pair.1, gate: gate, muxer: muxer)
        }
        gate.join(paths.map(\.admission))
        let isWanted = shared.withLock { shared in
            guard shared.writer.status == .writing else { return false }
            shared.paths = paths
            shared.gate = gate
            muxer.setChapters(shared.chapters)
            shared.muxer = muxer
            shared.writer.recordStarted()
            return true
        }
        guard isWanted else {
            for path in paths { path.cancel() }
            throw MediaError(.cancelled, "cannot start writing", reason: "the writer was cancelled")
        }
        let destination = destination
        try muxer.start(for: self) { destination }
        for path in paths {
            try path.start { error in self.trackFailed(path.admission, error) }
        }
    }
}

extension AssetWriter.Configuration {
    fileprivate func muxing(_ fileType: FileType, of inputs: [AssetWriterInput]) -> MuxerConfiguration {
        var muxing = MuxerConfiguration(fileType)
        muxing.movieTimeScale = movieTimeScale
        muxing.fragmentInterval = movieFragmentInterval
        muxing.initialFragmentInterval = initialMovieFragmentInterval
        muxing.segmentInterval = segmentInterval
        muxing.segmentStart = segmentStart
        muxing.segmentProfile = segmentProfile
        muxing.isRecoverable = isRecoverable
        muxing.overwritesExistingFile = overwritesExistingFile
        muxing.shouldOptimizeForNetworkUse = shouldOptimizeForNetworkUse
        muxing.directoryForTemporaryFiles = directoryForTemporaryFiles
        muxing.metadata = metadata
        muxing.creationDate = creationDate
        muxing.openingChapterTitle = openingChapterTitle
        muxing.isLive = inputs.contains { $0.configuration.expectsMediaDataInRealTime }
        muxing.isPatient = inputs.contains(where: \.isInterleaved)
        let media = inputs.indices.filter { [.video, .audio].contains(inputs[$0].mediaType) }
        if media.allSatisfy({ inputs[$0].isInterleaved }) {
            muxing.orderedTracks = Set(media).union(inputs.indices.filter { inputs[$0].configuration.keepsOrder })
        }
        if !isRecoverable, !muxing.isLive, inputs.allSatisfy({ $0.outputSettings == nil }) {
            muxing.movesPackets = true
            muxing.fragmentInterval = max(movieFragmentInterval, MediaTime(value: 4, timescale: 1))
        }
        return muxing
    }
}

/// Checks that an input's samples can be encoded and that the container can store them.
enum ContainerFit {
    /// Returns the reason why the input cannot be added; nil if it can.
    static func fault(_ input: AssetWriterInput, in fileType: FileType) -> MediaError? {
        let fault = input.encoderOptions(temporaryDirectory: nil).fault
        // A codec without an encoder is reported as such, and not as a format that the container cannot store.
        if let fault, fault.code == .unsupported { return fault }
        return containerFault(input, in: fileType) ?? fault
    }

    private static func containerFault(_ input: AssetWriterInput, in fileType: FileType) -> MediaError? {
        guard let format = format(of: input) else {
            if fileType == .mov { return nil }
            return MediaError(
                .unsupported, "cannot add a \(input.mediaType) input to a .\(fileType.rawValue) file",
                reason: "it stores packets unchanged, and their format was not given",
                wayOut: "give the input a source format hint, or use .mov, which stores any format")
        }
        return ContainerRules.refusal(of: format, in: fileType)
    }

    /// Returns the stored format; nil if only the first packet contains it.
    private static func format(of input: AssetWriterInput) -> FormatDescription? {
        switch input.outputSettings {
        case .video(let settings): .video(VideoFormat(codec: settings.codec.stored, width: 0, height: 0))
        case .audio(let settings):
            .audio(AudioFormat(codec: settings.codec, sampleRate: 0, channelCount: settings.channelCount ?? 0))
        case nil: input.sourceFormatHint
        }
    }
}
