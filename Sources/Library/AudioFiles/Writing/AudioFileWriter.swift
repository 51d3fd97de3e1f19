package import Foundation
package import MediaTypes

/// Writes one audio file from linear PCM. Only one thread at a time may call. Calls wait for the encoder and the disk.
package protocol AudioFileWriter: AnyObject {
    /// The format of the audio in the file.
    var format: AudioFormat { get }
    /// The number of frames that were accepted.
    var frameCount: Int64 { get }

    /// Appends complete, interleaved frames of the input format.
    ///
    /// - Throws: `diskFull`, `ioFailure` and the encoder's errors; `invalidState` after `finish`.
    func write(_ pcm: UnsafeRawBufferPointer) throws(MediaError)

    /// Completes the file and closes it. The second call does nothing. A movie file without frames is not created.
    ///
    /// - Throws: the first error of `write`. Files other than movies are then complete up to that error.
    func finish() throws(MediaError)
}

/// Opens the writer for a kind of file.
package enum AudioFileWriters {
    /// Creates the file.
    ///
    /// - Parameters:
    ///   - settings: the storage settings; a missing rate or channel count is taken from `input`.
    ///   - input: the format of the frames that will be written, interleaved linear PCM.
    ///   - replacesExisting: true to overwrite an existing file.
    /// - Throws: `invalidSettings` naming the setting; `unsupported`; the errors of creating a file. `busy` for a file
    ///   that is being recorded. `outputExists` for an existing file if `replacesExisting` is false.
    package static func open(
        _ url: URL, _ kind: AudioFileKind, settings: AudioSettings, input: AudioFormat, replacesExisting: Bool = true
    ) throws(MediaError) -> any AudioFileWriter {
        guard url.isFileURL else {
            throw MediaError(
                .unsupported, "cannot write \(url)", reason: "it is not a file but a “\(url.scheme ?? "")” URL")
        }
        if kind == .m4a {
            return try MovieAudioFile(url, settings: settings, input: input, replacesExisting: replacesExisting)
        }
        return try PlainAudioFile(
            path: url.path, kind, settings: settings, input: input, replacesExisting: replacesExisting)
    }

    /// Runs `body`, and adds the file's path to its errors about settings.
    static func naming<Result>(
        _ path: String, _ body: () throws(MediaError) -> Result
    ) throws(MediaError) -> Result {
        do throws(MediaError) {
            return try body()
        } catch {
            throw MediaError(
                error.code, "cannot write \(path)", reason: "\(error.action): \(error.reason)",
                underlying: error.underlying, wayOut: error.wayOut)
        }
    }
}
