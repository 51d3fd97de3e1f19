import MediaTypes

/// A color description in the form of image buffer attachments and format extensions.
extension ColorNames {
    /// Returns the attachments, without unspecified values.
    static func attachments(of color: ColorDescription) -> [String: String] {
        var words: [String: String] = [:]
        words[kCVImageBufferColorPrimariesKey] = primaries(color.primaries)
        words[kCVImageBufferTransferFunctionKey] = transfer(color.transfer)
        words[kCVImageBufferYCbCrMatrixKey] = matrix(color.matrix)
        return words
    }

    /// Returns the color description changed by an attachment; nil if the attachment is not about color.
    static func color(_ color: ColorDescription, with value: Any, for key: String) -> ColorDescription? {
        guard let word = value as? String else { return nil }
        var color = color
        switch key {
        case kCVImageBufferColorPrimariesKey: color.primaries = primaries[word] ?? 2
        case kCVImageBufferTransferFunctionKey: color.transfer = transfers[word] ?? 2
        case kCVImageBufferYCbCrMatrixKey: color.matrix = matrices[word] ?? 2
        default: return nil
        }
        return color
    }
}
