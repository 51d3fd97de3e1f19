import AssetIO
public import Foundation
import MediaTypes

/// Alternative tracks, of which one is played at a time, such as audio in several languages.
open class AVAssetWriterInputGroup: NSObject, @unchecked Sendable {
    // Unchecked: constant.
    public let inputs: [AVAssetWriterInput]
    public let defaultInput: AVAssetWriterInput?
    /// The engine's group; nil for incompatible inputs.
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
