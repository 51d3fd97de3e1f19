import Foundation
import MediaTypes

/// The attributes that a program requests for pixel buffers, for a pool of them, or for the decoded frames of a reader.
/// An attribute that was not requested is nil.
struct PixelAttributes: Sendable, Hashable {
    /// The first requested format that the library supports.
    var format: PixelFormat?
    /// The code with which the format was requested.
    var code: OSType?
    var width: Int?
    var height: Int?
    /// The row alignment in bytes; 1 or a power of two.
    var bytesPerRowAlignment: Int?

    var isFullRange: Bool? { code.flatMap { PixelFormat.isFullRange($0) } }

    /// True if decoded frames may have to be scaled, or to be copied to other rows.
    var changesFrames: Bool { width != nil && height != nil || bytesPerRowAlignment.map { $0 > 1 } ?? false }

    init() {}

    /// Reads the attributes. Ignores unknown attributes and those for graphics hardware (`IOSurface`, Metal, OpenGL).
    init(_ dictionary: [String: Any]) throws(SettingsFaults) {
        var reader = SettingsReader(dictionary)
        readFormat(&reader)
        width = reader.integer(kCVPixelBufferWidthKey, in: 1...65_535)
        height = reader.integer(kCVPixelBufferHeightKey, in: 1...65_535)
        if let alignment = reader.integer(kCVPixelBufferBytesPerRowAlignmentKey, in: 0...4096), alignment > 0 {
            if alignment & (alignment - 1) == 0 {
                bytesPerRowAlignment = alignment
            } else {
                reader.fault(kCVPixelBufferBytesPerRowAlignmentKey, "\(alignment) is not a power of two")
            }
        }
        if !reader.faults.isEmpty { throw SettingsFaults(list: reader.faults.sorted { $0.key < $1.key }) }
    }

    private mutating func readFormat(_ reader: inout SettingsReader) {
        let key = kCVPixelBufferPixelFormatTypeKey
        guard let value = reader.value(key) else { return }
        let codes: [OSType]
        if let list = value as? [Any] {
            codes = list.compactMap { settingsNumber($0)?.integer }.compactMap { OSType(exactly: $0) }
        } else {
            codes = reader.integer(key, in: 0...Int(OSType.max)).map { [OSType($0)] } ?? []
            if codes.isEmpty { return }
        }
        guard let code = codes.first(where: { PixelFormat($0) != nil }) else {
            let names = codes.map { "“\(FourCharacters($0))”" }.joined(separator: ", ")
            reader.fault(key, names.isEmpty ? "it lists no pixel format" : "unsupported pixel format \(names)")
            return
        }
        (format, self.code) = (PixelFormat(code), code)
    }

    var dictionary: [String: Any] {
        var attributes: [String: Any] = [:]
        attributes[kCVPixelBufferPixelFormatTypeKey] = (code ?? format?.code(isFullRange: false)).map { Int($0) }
        attributes[kCVPixelBufferWidthKey] = width
        attributes[kCVPixelBufferHeightKey] = height
        attributes[kCVPixelBufferBytesPerRowAlignmentKey] = bytesPerRowAlignment
        return attributes
    }
}
