package import MediaTypes

/// Converts packets from broadcast containers to the samples that movie files store. Such packets are H.264 and HEVC
/// with start codes, and AAC with ADTS headers. A plain value; its owner passes it the packets of one track in order.
package struct StoredForm {
    private enum Kind {
        case startCodes(StartCodeConverter)
        case adts
    }

    private let carried: FormatDescription
    private var kind: Kind
    /// The format of the samples. Before the first packet it is the track's format, then that of the latest packet.
    package private(set) var format: FormatDescription

    /// - Parameter format: the track's format, as its container describes it.
    /// - Returns: nil for formats whose packets a movie file stores unchanged.
    package init?(_ format: FormatDescription) {
        carried = format
        self.format = format
        switch format {
        case .video(let video):
            let header = video.decoderConfiguration
            guard header.isEmpty || header.withUnsafeBytes({ StartCodeConverter.beginsWithStartCode($0) }),
                let converter = StartCodeConverter(video.codec, header: header)
            else { return nil }
            kind = .startCodes(converter)
            // If the header has no sets, only the packets show whether there are start codes.
            if !header.isEmpty { self.format = Self.described(video, by: converter) }
        case .audio(let audio):
            guard audio.codec == .aac, audio.decoderConfiguration.isEmpty else { return nil }
            kind = .adts
        case .timecode, .text, .metadata: return nil
        }
    }

    /// Returns the sample that a movie file stores for a packet. Returns nil for a packet that cannot be decoded,
    /// because it contains only parameter sets, or precedes the first parameter sets.
    ///
    /// - Throws: `unsupported` for audio that no movie file can describe.
    package mutating func convert(_ sample: SampleBuffer) throws(MediaError) -> SampleBuffer? {
        guard case .data(let data) = sample.content else { return sample }
        switch kind {
        case .startCodes(var converter):
            guard StartCodeConverter.beginsWithStartCode(data.bytes) else { return sample }
            let stored = converter.convert(data.bytes, isKeyframe: sample.isKeyframe)
            if case .video(let video) = carried, format.video?.decoderConfiguration != converter.record {
                format = Self.described(video, by: converter)
            }
            kind = .startCodes(converter)
            guard let stored, !converter.record.isEmpty else { return nil }
            return sample.stored(stored, as: format)
        case .adts:
            guard let header = ADTSHeader(data.bytes) else { return sample }
            guard header.blockCount == 1, header.channelConfiguration > 0 else {
                throw MediaError(
                    .unsupported, "cannot copy AAC",
                    reason: header.blockCount > 1
                        ? "each of its ADTS frames contains several blocks"
                        : "its channels are described in its packets, not in its header",
                    wayOut: "re-encode it")
            }
            if case .audio(var audio) = carried, format.audio?.decoderConfiguration != header.configuration {
                (audio.decoderConfiguration, audio.storedEntry) = (header.configuration, nil)
                // The container has the channel count of the first packets. That count is kept, because the header may
                // state only half of the decoded channels.
                if let channels = header.channelCount, format.audio?.decoderConfiguration.isEmpty == false,
                    channels != audio.channelCount
                {
                    (audio.channelCount, audio.layout) = (channels, nil)
                }
                format = .audio(audio)
            }
            return sample.stored(
                MediaData(copying: UnsafeRawBufferPointer(rebasing: data.bytes[header.byteCount...])), as: format)
        }
    }

    private static func described(_ video: VideoFormat, by converter: StartCodeConverter) -> FormatDescription {
        var video = video
        video.decoderConfiguration = converter.record
        // The source's sample description is removed, because it would wrongly announce start codes.
        (video.codecTag, video.storedEntry) = (nil, nil)
        if let size = converter.frameSize, size != (video.width, video.height) {
            (video.width, video.height, video.cleanAperture) = (size.width, size.height, nil)
        }
        return .video(video)
    }
}

extension SampleBuffer {
    /// Returns a copy of the sample with other data and another format. The times stay the same.
    fileprivate func stored(_ data: MediaData, as format: FormatDescription) -> SampleBuffer {
        SampleBuffer(
            format: format, content: .data(data), presentationTime: presentationTime, decodeTime: decodeTime,
            duration: duration, sampleCount: sampleCount, isKeyframe: isKeyframe)
    }
}
