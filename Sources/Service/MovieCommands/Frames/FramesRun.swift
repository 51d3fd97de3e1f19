import AssetIO
import CommandInterface
import MediaTypes

/// Writes images to files or onto a sheet. While one image is compressed, the next is decoded.
struct FramesRun {
    private let options: FramesOptions
    private let format: StillImageFormat
    private let report: @Sendable (FramesJob.Event) -> Void
    /// The paths to write: one for each time, or one for the sheet.
    private let paths: [String]
    private var index = 0
    private var result: FramesReport
    private var failure: RecordingFailure?
    private var sheet: ContactSheet
    private var lastTime: MediaTime?
    private var writing: Task<Result<FramesReport.Frame, MediaError>, Never>?
    /// The number of decimal places that the seconds need for all labels to differ.
    private let labelPlaces: Int

    /// Prepares the run.
    ///
    /// - Throws: An error for a name that exists or is invalid; nothing has been written then.
    init(
        _ options: FramesOptions, times: [MediaTime], headline: String,
        report: @escaping @Sendable (FramesJob.Event) -> Void
    ) throws(RecordingFailure) {
        self.options = options
        self.report = report
        result = FramesReport(source: options.file)
        let distances = zip(times.dropFirst(), times).map { ($0 - $1).seconds.magnitude }
        let distance = distances.min() ?? 0
        labelPlaces = distance >= 2 ? 0 : distance >= 0.2 ? 1 : distance >= 0.02 ? 2 : 3
        sheet = ContactSheet(headline: headline)
        do throws(MediaError) {
            let names = try StillFileNames(input: options.file, output: options.output, format: options.format)
            format = names.format
            paths = options.makesSheet ? [names.single("-frames")] : try names.each(times)
            for path in paths { try AtomicFile.check(path, overwrite: options.overwrite, input: options.file) }
        } catch { throw RecordingFailure(.output, error) }
    }

    mutating func take(_ generated: FrameGenerator.Generated) async throws(MediaError) {
        defer { index += 1 }
        switch generated.outcome {
        case .succeeded(let image, let actualTime):
            let frame = FramesReport.Frame(
                requested: generated.requestedTime.seconds, actual: actualTime.seconds, file: nil, width: image.width,
                height: image.height)
            if options.makesSheet {
                // A short movie may have fewer frames than a sheet has cells. Each frame is drawn once.
                if lastTime == actualTime { return }
                lastTime = actualTime
                sheet.add(image, label: label(actualTime))
                result.frames.append(frame)
            } else {
                try await write(image, frame, to: paths[index])
            }
        case .failed(let error): fail(generated.requestedTime, error)
        case .cancelled:
            fail(
                generated.requestedTime,
                MediaError(.cancelled, "cannot extract frames from \(options.file)", reason: "it was cancelled"))
        }
    }

    mutating func finish() async throws(MediaError) -> (FramesReport, RecordingFailure?) {
        try await collect()
        if !sheet.isEmpty, let path = paths.first {
            let sheetImage = try sheet.draw()
            try AtomicFile.write(sheetImage.encoded(as: format), to: path, overwrite: options.overwrite)
            result.sheet = path
            report(.wrote(path))
        }
        return (result, failure)
    }

    private mutating func fail(_ time: MediaTime, _ error: MediaError) {
        failure = failure ?? RecordingFailure(.input, error)
        result.failures.append(.init(requested: time.seconds, error: error.description))
        // An error of the entire movie is reported once.
        if result.failures.dropLast().last?.error != error.description { report(.failed(error.description)) }
    }

    private mutating func write(
        _ image: PixelBuffer, _ frame: FramesReport.Frame, to path: String
    ) async throws(MediaError) {
        try await collect()
        let (format, overwrite) = (format, options.overwrite)
        writing = Task.detached {
            do throws(MediaError) {
                try AtomicFile.write(image.encoded(as: format), to: path, overwrite: overwrite)
            } catch { return .failure(error) }
            var written = frame
            written.file = path
            return .success(written)
        }
    }

    /// Waits for the image that is being written.
    private mutating func collect() async throws(MediaError) {
        guard let task = writing else { return }
        writing = nil
        let frame = try await task.value.get()
        result.frames.append(frame)
        if let file = frame.file { report(.wrote(file)) }
    }

    /// Returns a label such as "1:02:03", "2:03" or "0:03.5".
    private func label(_ time: MediaTime) -> String {
        let parts: Int64 = [1, 10, 100, 1000][labelPlaces]
        let ticks = max(0, time.ticks(in: Int32(parts), rounding: .down))
        let seconds = ticks / parts
        func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let hours = seconds >= 3600 ? "\(seconds / 3600):\(padded(seconds / 60 % 60))" : "\(seconds / 60)"
        let rest = String(ticks % parts)
        let fraction = String(repeating: "0", count: max(0, labelPlaces - rest.count)) + rest
        return hours + ":" + padded(seconds % 60) + (labelPlaces > 0 ? "." + fraction : "")
    }
}

/// The result of `recorder frames`, as its JSON object.
package struct FramesReport: Encodable, Sendable {
    package struct Frame: Encodable, Sendable {
        /// The requested time in seconds.
        package var requested: Double
        /// The time at which the frame is first shown, in seconds.
        package var actual: Double
        /// The file; nil on a sheet.
        package var file: String?
        package var width: Int
        package var height: Int
    }

    package struct Failure: Encodable, Sendable {
        package var requested: Double
        package var error: String
    }

    package var source: String
    package var frames: [Frame] = []
    package var failures: [Failure] = []
    /// The contact sheet's file.
    package var sheet: String?
}
