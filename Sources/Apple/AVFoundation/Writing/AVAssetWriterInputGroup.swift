import AssetIO
public import Foundation
import MediaTypes

/// A group of alternative tracks, such as audio in several languages. Players play only one of them at a time.
open class AVAssetWriterInputGroup: NSObject, @unchecked Sendable {
    // Unchecked: constant.
    public let inputs: [AVAssetWriterInput]
    public let defaultInput: AVAssetWriterInput?
    /// The library's group; nil if the inputs are incompatible.
    let engine: InputGroup?

    public init(inputs: [AVAssetWriterInput], defaultInput: AVAssetWriterInput?) {
        self.inputs = inputs
        self.defaultInput = defaultInput
        let all = inputs.compactMap(\.engine)
        engine =
            all.count == inputs.count
            ? try? InputGroup(inputs: all, defaultInput: defaultInput?.engine) : nil
        super.init()
    }
}
