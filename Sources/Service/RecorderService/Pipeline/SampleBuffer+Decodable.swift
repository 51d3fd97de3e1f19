import MediaCodecs
import MediaTypes

extension SampleBuffer {
    /// False for a JPEG that cannot be decoded. The check takes milliseconds. Other frames are not checked.
    var isDecodable: Bool {
        guard case .data(let data) = content, let format = format.video, format.codec == .mjpeg else { return true }
        do throws(MediaError) {
            _ = try JPEGDecoder(width: format.width, height: format.height).decode(data.bytes)
            return true
        } catch {
            return false
        }
    }
}
