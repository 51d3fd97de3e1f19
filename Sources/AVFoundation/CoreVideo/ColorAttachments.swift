import MediaTypes

/// A colour as attachments of pictures and extensions of formats carry it.
extension ColorNames {
    /// What is unspecified is left out.
    static func attachments(of color: ColorDescription) -> [String: String] {
        var words: [String: String] = [:]
        words[kCVImageBufferColorPrimariesKey] = primaries(color.primaries)
        words[kCVImageBufferTransferFunctionKey] = transfer(color.transfer)
        words[kCVImageBufferYCbCrMatrixKey] = matrix(color.matrix)
        return words
    }

    /// The colour with what an attachment says; nil for one that says nothing about it.
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
