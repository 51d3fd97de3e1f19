import CFFmpeg
import MediaTypes

extension MediaError {
    /// Creates the error for a failed call of FFmpeg's libraries, with FFmpeg's message.
    init(averror number: Int32, _ code: MediaError.Code, _ action: String) {
        var text = [CChar](repeating: 0, count: 128)
        av_strerror(number, &text, text.count)
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        self.init(code, action, reason: String(decoding: bytes, as: UTF8.self), underlying: .averror(number))
    }
}

/// Silences FFmpeg's libraries, which log to standard error. This library throws errors instead.
enum LibavLog {
    /// Silences the log. Must be read before the libraries are used. May be read several times, on any thread.
    static let silenced: Void = av_log_set_level(AV_LOG_QUIET)
}
