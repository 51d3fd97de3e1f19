/// An entry of a QuickTime or MPEG-4 file's sample description table, as it is stored there.
///
/// Some codecs need more than a `VideoFormat` or `AudioFormat` says: bits per pixel, a palette, bytes per block. The entry says all
/// of it, and a copy of the packets takes it along.
package struct StoredEntry: Sendable, Hashable {
    /// The code of the sample description: `rle `.
    package let code: FourCharCode
    /// The bytes after the code.
    package let body: [UInt8]
    /// The file is a QuickTime movie; otherwise one of the MPEG-4 family, where some entries have another form.
    package let isQuickTime: Bool

    package init(code: FourCharCode, body: [UInt8], isQuickTime: Bool) {
        (self.code, self.body, self.isQuickTime) = (code, body, isQuickTime)
    }
}
