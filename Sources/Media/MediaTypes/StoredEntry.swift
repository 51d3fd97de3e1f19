/// A sample description of a QuickTime or MPEG-4 file, as it is stored there.
///
/// Some codecs need more than `VideoFormat` or `AudioFormat` can express: bits per pixel, a palette, bytes per block.
/// The sample description contains all of it, and is copied along with the packets.
package struct StoredEntry: Sendable, Hashable {
    /// The code of the sample description: `rle `.
    package let code: FourCharCode
    /// The bytes after the code.
    package let body: [UInt8]
    /// True for a QuickTime movie, false for a file of the MPEG-4 family. Some sample descriptions have different forms
    /// in the two.
    package let isQuickTime: Bool

    package init(code: FourCharCode, body: [UInt8], isQuickTime: Bool) {
        (self.code, self.body, self.isQuickTime) = (code, body, isQuickTime)
    }
}
