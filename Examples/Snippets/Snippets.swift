import AssetIO
import Capture
import Foundation
import MediaTypes

// The examples of the documentation, word for word: README.md, docs/recorder.docc and the documentation comments.
// `DocumentationTests` checks that none of them is missing here. Values that the examples do not define are parameters
// here.

func exportInTwoLines(input: URL, output: URL) async throws {
    let session = try ExportSession(asset: Asset(url: input), preset: .size1280x720)
    try await session.export(to: output)
}

func exportAndTell(input: URL, output: URL) async throws {
    let session = try ExportSession(asset: Asset(url: input), preset: .size1280x720)
    try await session.export(to: output)
    for line in session.report.leftOut { print("left out:", line) }
}

func exportOfAPart(input: URL, output: URL) async throws {
    let session = try ExportSession(asset: Asset(url: input), preset: .passthrough)
    try session.configure {
        $0.timeRange = TimeRange(start: MediaTime(value: 90, timescale: 1), end: MediaTime(value: 120, timescale: 1))
    }
    try await session.export(to: output)
}

func exportWithProgress(session: ExportSession, output: URL) async throws {
    let progress = Task {
        for await state in session.states(updateInterval: 0.5) {
            if case .exporting(let fraction) = state { print("\(Int(fraction * 100)) %") }
        }
    }
    try await session.export(to: output)
    await progress.value
}

func reencodeByHand(input: URL, output: URL) async throws {
    let asset = Asset(url: input)
    let reader = try AssetReader(asset: asset)
    let frames = try await TrackOutput(track: asset.tracks(withMediaType: .video)[0], outputSettings: .pixels(.nv12))
    try reader.add(frames)
    let writer = try AssetWriter(outputURL: output)
    let video = try AssetWriterInput(mediaType: .video, outputSettings: .video(VideoSettings()))
    let receiver = try writer.inputReceiver(for: video)
    try reader.startReading()
    try writer.startWriting()
    try writer.startSession(atSourceTime: .zero)
    while let frame = try await frames.next() { try await receiver.append(frame) }
    receiver.finish()
    try await writer.finishWriting()
}

func chosenCodec(writer: AssetWriter, source: FormatDescription) throws {
    var settings = VideoSettings(codec: .hevc, rateControl: .quality(0.6), preset: "fast", profile: .main10)
    settings.color = .pq
    settings.contentLight = ContentLightLevel(maximum: 1000, maximumAverage: 400)
    let frames = try AssetWriterInput(
        mediaType: .video, outputSettings: .video(settings), sourceFormatHint: source)
    guard writer.canAdd(frames) else { return }
    try writer.add(frames)
}

func cameraIntoAFile() async throws {
    let camera = try V4L2Camera(device: "/dev/video0")
    let writer = try AssetWriter(outputURL: URL(fileURLWithPath: "movie.mov"))
    let input = try AssetWriterInput(
        mediaType: .video, outputSettings: .video(VideoSettings()), sourceFormatHint: camera.format)
    try input.configure { $0.expectsMediaDataInRealTime = true }
    try writer.add(input)
    try writer.startWriting()
    try camera.start { event in
        guard case .sample(let frame) = event else { return }
        try? writer.startSession(atSourceTime: frame.presentationTime)  // only the first counts
        _ = try? input.append(frame)
    }
    try await Task.sleep(for: .seconds(10))
    camera.stop()
    try await writer.finishWriting()
}

func anotherSize(camera: V4L2Camera) throws -> AssetWriterInput {
    var settings = VideoSettings(width: 640, height: 480)
    settings.scalingMode = .resizeAspect
    let small = try AssetWriterInput(
        mediaType: .video, outputSettings: .video(settings), sourceFormatHint: camera.format)
    return small
}

func microphoneToo(writer: AssetWriter) throws {
    let microphone = try ALSAMicrophone(device: "default")
    let audio = try AssetWriterInput(
        mediaType: .audio, outputSettings: .audio(AudioSettings()), sourceFormatHint: microphone.format)
    try audio.configure { $0.expectsMediaDataInRealTime = true }
    try writer.add(audio)
}

func channelLayouts() -> [AudioSettings] {
    let sixMicrophones = AudioSettings(codec: .alac, channelCount: 6, layout: .discrete(6))
    let surround = AudioSettings(codec: .aac, channelCount: 6, layout: .surround51)
    return [sixMicrophones, surround]
}

func keptCamera(input: AssetWriterInput) throws {
    let keeper = try DeviceKeeper(name: "camera") { () throws(MediaError) in try V4L2Camera(device: "/dev/video0") }
    try keeper.start { event in
        if case .sample(let frame) = event { _ = try? input.append(frame) }
    }
    keeper.stop()
}

func oneCamera(input: AssetWriterInput) throws {
    let camera = try V4L2Camera(device: "/dev/video0", request: CameraRequest(size: FrameSize(1280, 720)))
    print(camera.summary)
    try camera.start { event in
        if case .sample(let frame) = event { _ = try? input.append(frame) }
    }
    camera.stop()
}

func drawnFrames(draw: (Int) -> PixelBuffer) async throws {
    let writer = try AssetWriter(outputURL: URL(fileURLWithPath: "movie.mp4"))
    try writer.configure { $0.shouldOptimizeForNetworkUse = true }
    let input = try AssetWriterInput(mediaType: .video, outputSettings: .video(VideoSettings(width: 1280, height: 720)))
    let frames = try writer.inputPixelBufferReceiver(for: input, pixelFormat: .nv12)
    try writer.startWriting()
    try writer.startSession(atSourceTime: .zero)
    for number in 0..<300 {
        try await frames.append(draw(number), with: MediaTime(value: Int64(number), timescale: 30))
    }
    frames.finish()
    try await writer.finishWriting()
}

func readBack() async throws {
    let asset = Asset(url: URL(fileURLWithPath: "movie.mp4"))
    let reader = try AssetReader(asset: asset)
    let output = try await TrackOutput(track: asset.tracks(withMediaType: .video)[0], outputSettings: .pixels(.nv12))
    try reader.add(output)
    try reader.startReading()
    while let frame = try await output.next() { print(frame.presentationTime.seconds) }
}

func oneStill(input: URL, output: URL) async throws {
    let generator = FrameGenerator(asset: Asset(url: input))
    let (image, actualTime) = try await generator.image(at: MediaTime(value: 3, timescale: 1))
    let png = try image.encoded(as: .png)
    try withExtendedLifetime(png) { try Data(png.bytes).write(to: output) }
    print(actualTime.seconds)
}

func manyStills(generator: FrameGenerator) async throws {
    let times = (0..<10).map { MediaTime(value: Int64($0), timescale: 1) }
    for await one in generator.images(for: times) {
        switch one.outcome {
        case .succeeded(let image, _): print(one.requestedTime.seconds, image.width, image.height)
        case .failed(let error): print(error)
        case .cancelled: break
        }
    }
}

func repairAfterACrash() throws {
    let report = try MovieRepair.repair(URL(fileURLWithPath: "movie.recording.mov"))
    print(report.file)
}

func shorterFragments(writer: AssetWriter) throws {
    try writer.configure {
        $0.movieFragmentInterval = MediaTime(value: 1, timescale: 2)
    }
}

func severalPasses(
    input: AssetWriterInput, receiver: AssetWriterInput.SampleBufferReceiver, samples: ([TimeRange]) -> [SampleBuffer]
) async throws {
    for await pass in input.passDescriptions {
        for sample in samples(pass.sourceTimeRanges) { try await receiver.append(sample) }
        try input.markCurrentPassAsFinished()
    }
    input.markAsFinished()
}
