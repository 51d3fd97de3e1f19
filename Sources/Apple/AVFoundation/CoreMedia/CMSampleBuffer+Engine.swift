import Foundation
import MediaTypes

/// Conversion to the library's samples.
extension CMSampleBuffer {
    /// Returns the content as samples of the library: one for each frame or packet, and a single one for PCM audio.
    ///
    /// - Throws: `invalidSample` for samples without data, format or time.
    func engineSamples() throws(MediaError) -> [SampleBuffer] {
        func fault(_ reason: String) -> MediaError {
            MediaError(.invalidSample, "cannot append a sample", reason: reason)
        }
        guard isValid else { throw fault("it was invalidated") }
        if let engine { return [try changed(engine)] }
        guard isReady else { throw fault("its data is not ready") }
        switch content {
        case .none: throw fault("it is empty")
        case .image(let image):
            guard let timing = timings.first, timing.presentationTimeStamp.isNumeric else {
                throw fault("it has no presentation time")
            }
            return [
                SampleBuffer(
                    pixels: image.pixels, presentationTime: timing.presentationTimeStamp.media,
                    duration: timing.duration.isNumeric ? timing.duration.media : nil)
            ]
        case .data(let data):
            guard let format = formatDescription?.engine else { throw fault("it has no format") }
            return try engineSamples(data.media, format)
        }
    }

    /// Returns the library's sample with the changes that the program made to its data, its color tags and its sample
    /// attachments. Without changes, it is the same sample.
    private func changed(_ engine: SampleBuffer) throws(MediaError) -> SampleBuffer {
        switch (engine.content, requestedContent) {
        case (.pixels(let pixels), .image(let image)):
            guard image.color != pixels.color else { return engine }
            var format = engine.format.video ?? pixels.videoFormat
            format.color = image.color
            return SampleBuffer(
                format: .video(format), content: .pixels(image.pixels), presentationTime: engine.presentationTime,
                decodeTime: engine.decodeTime, duration: engine.duration)
        case (.data(let original), let content):
            var data = original
            if case .data(let block) = content { data = block.media }
            let isPCM = engine.format.audio?.bytesPerFrame != nil
            if isPCM, data.count != original.count { return try engineSamples(data, engine.format)[0] }
            let isKeyframe = isPCM || isKeyframe(0)
            guard data !== original || isKeyframe != engine.isKeyframe else { return engine }
            return SampleBuffer(
                format: engine.format, content: .data(data), presentationTime: engine.presentationTime,
                decodeTime: engine.decodeTime, duration: engine.duration, sampleCount: engine.sampleCount,
                isKeyframe: isKeyframe)
        default: return engine
        }
    }

    private func engineSamples(_ data: MediaData, _ format: FormatDescription) throws(MediaError) -> [SampleBuffer] {
        func fault(_ reason: String) -> MediaError {
            MediaError(.invalidSample, "cannot append a sample", reason: reason)
        }
        guard presentationTimeStamp.isNumeric else { throw fault("it has no presentation time") }
        if let audio = format.audio, let frame = audio.bytesPerFrame {
            guard !isPlanar else {
                throw fault("its channels are not interleaved; set its data from an AudioBufferList")
            }
            guard frame > 0, data.count % frame == 0 else {
                throw fault("its data does not end with a complete audio frame")
            }
            return [SampleBuffer(pcm: data, format: audio, presentationTime: presentationTimeStamp.media)]
        }
        var (samples, offset): ([SampleBuffer], Int) = ([], 0)
        for index in 0..<max(1, numSamples) {
            let length = numSamples <= 1 ? data.count : size(at: index)
            guard let timing = timing(at: index) ?? timings.first, timing.presentationTimeStamp.isNumeric else {
                throw fault("sample \(index) has no presentation time")
            }
            guard length > 0, length <= data.count - offset else {
                throw fault("its sample sizes do not match its data")
            }
            let bytes = UnsafeRawBufferPointer(rebasing: data.bytes[offset..<(offset + length)])
            offset += length
            samples.append(
                SampleBuffer(
                    format: format, content: .data(numSamples <= 1 ? data : MediaData(borrowing: bytes, keeping: data)),
                    presentationTime: timing.presentationTimeStamp.media,
                    decodeTime: timing.decodeTimeStamp.isNumeric ? timing.decodeTimeStamp.media : nil,
                    duration: timing.duration.isNumeric ? timing.duration.media : nil,
                    sampleCount: format.audio.map { max(1, $0.framesPerPacket) } ?? 1, isKeyframe: isKeyframe(index)))
        }
        return samples
    }
}
