import AssetIO
public import Foundation
import MediaTypes

/// Tracks of which one is to be played at a time, as sound in several languages.
open class AVAssetWriterInputGroup: NSObject, @unchecked Sendable {
    // Unchecked: constant.
    public let inputs: [AVAssetWriterInput]
    public let defaultInput: AVAssetWriterInput?
    /// nil for inputs that do not go together.
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
