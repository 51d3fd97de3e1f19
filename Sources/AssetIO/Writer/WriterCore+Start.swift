import Foundation
import MediaTypes
import MovieFile
import RealTime

/// From inputs to running threads.
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
            let inputs = fed + (try makeExtras(configuration, fed))
            for input in inputs {
                if let fault = ContainerFit.fault(input, in: fileType) { throw fault }
                try checkAssociations(of: input, among: inputs)
            }
            var encodings: [any TrackEncoding] = []
            for input in inputs {
                encodings.append(try foundations.makeEncoding(input, configuration.directoryForTemporaryFiles))
            }
            try destination.open(configuration)
            do throws(MediaError) {
                try startThreads(inputs, encodings, configuration)
            } catch {
                destination.discard()
                throw error
            }
        } catch {
            fail(error)
            throw error
        }
    }

    /// The tracks of titles and of timecode that the configuration asks for.
    private func makeExtras(
        _ configuration: AssetWriter.Configuration, _ fed: [AssetWriterInput]
    ) throws(MediaError) -> [AssetWriterInput] {
        try shared.withLock { shared throws(MediaError) in
            let inputs = try shared.extras.makeInputs(configuration, fed: fed)
            for input in inputs { _ = input.attach(to: identity) }
            shared.fedTracks = fed.count
            return inputs
        }
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
        _ inputs: [AssetWriterInput], _ encodings: [any TrackEncoding], _ configuration: AssetWriter.Configuration
    ) throws(MediaError) {
        let packets = PacketQueue(
            policy: fragmentPolicy(inputs, encodings, configuration), trackCount: inputs.count,
            interval: configuration.movieFragmentInterval, limit: queueLimit(inputs))
        let gate = InterleavingGate(
            Interleaving(
                fragmentInterval: configuration.movieFragmentInterval, takesPart: inputs.map(\.isInterleaved)))
        let cores = zip(inputs, encodings).enumerated().map { index, pair in
            pair.0.makeCore(index: index, passCount: pair.1.passCount, gate: gate)
        }
        gate.join(cores)
        let deliveries = zip(encodings, cores).enumerated().map { index, pair -> any TrackDelivery in
            let (encoding, core) = pair
            let isDirect = core.traits.isRealTime && core.traits.isPassthrough
            let stage = EncodingStage(
                index: index, encoding: encoding, core: core, packets: packets, mayWait: !isDirect)
            guard isDirect else { return EncoderThread(stage, core: core) }
            return DirectDelivery(stage, core: core, packets: packets)
        }
        let tracks = MovieTrack.tracks(of: inputs, encodings: encodings, groups: groups)
        let isWanted = shared.withLock { shared in
            guard shared.writer.status == .writing else { return false }
            shared.tracks = cores
            shared.gate = gate
            shared.packets = packets
            return true
        }
        guard isWanted else {
            for core in cores { core.cancel() }
            throw MediaError(.cancelled, "cannot start writing", reason: "the writer was cancelled")
        }
        let thread = MovieThread(
            core: self, configuration: configuration, tracks: tracks, cores: cores, deliveries: deliveries,
            packets: packets)
        try thread.start()
        for (core, delivery) in zip(cores, deliveries) {
            try delivery.start { error in self.trackFailed(core, error) }
        }
    }

    /// Bytes that wait for the disk. A source that can wait needs no more than keeps the disk busy.
    private func queueLimit(_ inputs: [AssetWriterInput]) -> Int {
        if destination.isSegmented { return 256 << 20 }
        return inputs.contains(where: \.configuration.expectsMediaDataInRealTime) ? 64 << 20 : 24 << 20
    }

    private func fragmentPolicy(
        _ inputs: [AssetWriterInput], _ encodings: [any TrackEncoding], _ configuration: AssetWriter.Configuration
    ) -> any FragmentCutting {
        let reference =
            inputs.firstIndex { $0.mediaType == .video } ?? inputs.firstIndex { $0.mediaType == .audio } ?? 0
        let fed = shared.withLock { $0.fedTracks }
        if destination.isSegmented {
            return SegmentPolicy(interval: configuration.segmentInterval, reference: reference)
        }
        return FragmentPolicy(
            interval: configuration.movieFragmentInterval, initialInterval: configuration.initialMovieFragmentInterval,
            reference: reference,
            hasFormat: zip(inputs, encodings).enumerated().map { index, track in
                // Packets tell with the first of them how long before the session decoding begins: the header says so. The
                // writer's own timecode comes with the session, and belongs to the first fragment.
                let (input, encoding) = track
                let isOwnTimecode = input.mediaType == .timecode && index >= fed
                return encoding.format != nil && !(input.isInterleaved && input.outputSettings == nil) && !isOwnTimecode
            },
            // Where nobody is in a hurry every track's format is waited for: a second pass begins late.
            patience: MediaTime(value: inputs.contains(where: \.isInterleaved) ? 600 : 5, timescale: 1),
            sparse: Set(inputs.indices.filter { inputs[$0].mediaType == .text || inputs[$0].mediaType == .timecode }))
    }
}
