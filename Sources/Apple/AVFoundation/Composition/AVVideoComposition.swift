import AssetIO
public import Foundation
import MediaTypes

/// The rules for composing the frames of several tracks: size, frame rate, and the placement of each track over time.
///
/// Core Image and Core Animation do not exist on Linux, so filters and animated layers are not supported. Custom
/// compositors are not supported either.
open class AVVideoComposition: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
    // Unchecked: mutable only in `AVMutableVideoComposition`, which belongs to one thread.
    var storage = Storage()

    struct Storage {
        var frameDuration = CMTime.zero
        var renderSize = CGSize.zero
        var renderScale: Float = 1
        var sourceTrackIDForFrameTiming = kCMPersistentTrackID_Invalid
        var instructions: [any AVVideoCompositionInstructionProtocol] = []
        var colorPrimaries: String?
        var colorYCbCrMatrix: String?
        var colorTransferFunction: String?
        var sourceSampleDataTrackIDs: [NSNumber] = []
        /// The error if creating the composition failed. The composition then cannot be used.
        var fault: MediaError?
    }

    public override init() {}

    /// Creates a composition that shows an asset unchanged. It has the asset's transformed size and frame duration, and
    /// shows each enabled video track with the track's own transform. Blocks the calling thread while the asset's
    /// header is read. If the header cannot be read, exports and readers that use the composition fail with that error.
    public convenience init(propertiesOf asset: AVAsset) {
        self.init()
        adopt(asset)
    }

    open class func videoComposition(withPropertiesOf asset: AVAsset) async throws -> AVVideoComposition {
        try await OffPool.run { try AVVideoComposition(propertiesOf: asset).checked() }
    }

    @preconcurrency
    public class func videoComposition(
        withPropertiesOf asset: AVAsset,
        completionHandler: @escaping @Sendable (AVVideoComposition?, (any Error)?) -> Void
    ) {
        OffPool.queue.async {
            let made = AVVideoComposition(propertiesOf: asset)
            if let fault = made.storage.fault {
                completionHandler(nil, AVError(fault))
            } else {
                completionHandler(made, nil)
            }
        }
    }

    /// Returns this composition. If creating it failed, throws the error.
    func checked() throws -> Self {
        if let fault = storage.fault { throw AVError(fault) }
        return self
    }

    func adopt(_ asset: AVAsset, prototype: AVVideoCompositionInstruction? = nil) {
        do throws(MediaError) {
            let source = try VideoComposition(propertiesNowOf: asset.engine)
            storage.frameDuration = CMTime(source.frameDuration)
            storage.renderSize = source.renderSize
            storage.instructions = source.instructions.map {
                AVVideoCompositionInstruction($0, like: prototype, of: asset)
            }
        } catch {
            storage.frameDuration = CMTime(value: 1, timescale: 30)
            storage.fault = error
        }
    }

    /// The time from one composed frame to the next.
    open var frameDuration: CMTime { storage.frameDuration }
    /// The track whose frame times are used. If it is invalid, `frameDuration` is used.
    open var sourceTrackIDForFrameTiming: CMPersistentTrackID { storage.sourceTrackIDForFrameTiming }
    /// The size of the composed frames in pixels.
    open var renderSize: CGSize { storage.renderSize }
    /// The scale at which frames are rendered. Reading and exporting support only 1.
    open var renderScale: Float { storage.renderScale }
    /// The instructions in the order of their time ranges, which must be contiguous from 0 on. The last one may end after
    /// the asset: composed frames end with the asset.
    open var instructions: [any AVVideoCompositionInstructionProtocol] { storage.instructions }
    open var sourceSampleDataTrackIDs: [NSNumber] { storage.sourceSampleDataTrackIDs }

    // MARK: Color (nil means the color of the first track)

    open var colorPrimaries: String? { storage.colorPrimaries }
    open var colorYCbCrMatrix: String? { storage.colorYCbCrMatrix }
    open var colorTransferFunction: String? { storage.colorTransferFunction }

    /// Returns the equivalent video composition of the library.
    ///
    /// - Throws: `invalidSettings` with the name of a value that cannot be rendered; `unsupported` for instructions of
    ///   another class.
    func engine(for tracks: [AssetTrack]) throws(MediaError) -> VideoComposition {
        let action = "cannot compose frames"
        if let fault = storage.fault { throw fault }
        guard renderScale == 1 else {
            throw MediaError(.invalidSettings, action, reason: "renderScale must be 1, not \(renderScale)")
        }
        var drawn: [VideoCompositionInstruction] = []
        for instruction in instructions {
            guard let instruction = instruction as? AVVideoCompositionInstruction else {
                throw MediaError(
                    .unsupported, action,
                    reason: "an instruction is not an AVVideoCompositionInstruction; there are no custom compositors")
            }
            drawn.append(instruction.engine)
        }
        return VideoComposition(
            renderSize: renderSize, frameDuration: try duration(for: tracks), instructions: drawn, color: try color())
    }

    /// Returns the frame duration of the track `sourceTrackIDForFrameTiming`. If there is no such track, returns
    /// `frameDuration`.
    private func duration(for tracks: [AssetTrack]) throws(MediaError) -> MediaTime {
        guard sourceTrackIDForFrameTiming != kCMPersistentTrackID_Invalid,
            let track = tracks.first(where: { $0.id == Int(sourceTrackIDForFrameTiming) }),
            track.minFrameDuration.isNumeric, track.minFrameDuration > .zero
        else { return frameDuration.media }
        return track.minFrameDuration
    }

    private func color() throws(MediaError) -> ColorDescription? {
        guard colorPrimaries != nil || colorYCbCrMatrix != nil || colorTransferFunction != nil else { return nil }
        func code(_ word: String?, _ table: [String: UInt8], _ name: String) throws(MediaError) -> UInt8 {
            guard let word else { return 2 }
            guard let code = table[word] else {
                throw MediaError(.invalidSettings, "cannot compose frames", reason: "unknown \(name) “\(word)”")
            }
            return code
        }
        return ColorDescription(
            primaries: try code(colorPrimaries, ColorNames.primaries, "colorPrimaries"),
            transfer: try code(colorTransferFunction, ColorNames.transfers, "colorTransferFunction"),
            matrix: try code(colorYCbCrMatrix, ColorNames.matrices, "colorYCbCrMatrix"))
    }

    open override func copy() -> Any { copy(with: nil) }
    open func copy(with zone: NSZone?) -> Any { replica(AVVideoComposition()) }
    open override func mutableCopy() -> Any { mutableCopy(with: nil) }
    open func mutableCopy(with zone: NSZone?) -> Any { replica(AVMutableVideoComposition()) }

    private func replica(_ other: AVVideoComposition) -> AVVideoComposition {
        other.storage = storage
        other.storage.instructions = storage.instructions.map { instruction in
            guard let ours = instruction as? AVVideoCompositionInstruction else { return instruction }
            return ours.copy() as? AVVideoCompositionInstruction ?? ours
        }
        return other
    }
}

extension AVVideoCompositionInstruction {
    /// - Parameters:
    ///   - prototype: an instruction from which the background color and the post-processing are copied.
    ///   - asset: the asset that contains the layers' tracks.
    convenience init(
        _ instruction: VideoCompositionInstruction, like prototype: AVVideoCompositionInstruction?, of asset: AVAsset
    ) {
        self.init()
        if let prototype { storage = prototype.storage }
        storage.timeRange = CMTimeRange(instruction.timeRange)
        let tracks = (try? asset.engine.loadNow(.tracks)) ?? []
        storage.layers = instruction.layerInstructions.map { layer in
            let made = AVVideoCompositionLayerInstruction()
            made.storage.trackID = CMPersistentTrackID(clamping: layer.trackID)
            if let track = tracks.first(where: { $0.id == layer.trackID }) {
                made.storage.transforms.set(CGAffineTransform(track.placement.transform), at: .zero)
            }
            return made
        }
    }
}

open class AVMutableVideoComposition: AVVideoComposition, @unchecked Sendable {
    // Unchecked: like its superclass, used by one thread at a time.
    /// Creates the same as `init(propertiesOf:)`, with the background color of an instruction.
    public convenience init(propertiesOf asset: AVAsset, prototypeInstruction: AVVideoCompositionInstruction) {
        self.init()
        adopt(asset, prototype: prototypeInstruction)
    }

    public class func videoComposition(
        withPropertiesOf asset: AVAsset, prototypeInstruction: AVVideoCompositionInstruction
    ) async throws -> AVMutableVideoComposition {
        try await OffPool.run {
            try AVMutableVideoComposition(propertiesOf: asset, prototypeInstruction: prototypeInstruction).checked()
        }
    }

    open override class func videoComposition(withPropertiesOf asset: AVAsset) async throws -> AVMutableVideoComposition
    {
        try await OffPool.run { try AVMutableVideoComposition(propertiesOf: asset).checked() }
    }

    open override var frameDuration: CMTime {
        get { storage.frameDuration }
        set { storage.frameDuration = newValue }
    }
    open override var sourceTrackIDForFrameTiming: CMPersistentTrackID {
        get { storage.sourceTrackIDForFrameTiming }
        set { storage.sourceTrackIDForFrameTiming = newValue }
    }
    open override var renderSize: CGSize {
        get { storage.renderSize }
        set { storage.renderSize = newValue }
    }
    open override var renderScale: Float {
        get { storage.renderScale }
        set { storage.renderScale = newValue }
    }
    open override var instructions: [any AVVideoCompositionInstructionProtocol] {
        get { storage.instructions }
        set { storage.instructions = newValue }
    }
    open override var sourceSampleDataTrackIDs: [NSNumber] {
        get { storage.sourceSampleDataTrackIDs }
        set { storage.sourceSampleDataTrackIDs = newValue }
    }
    open override var colorPrimaries: String? {
        get { storage.colorPrimaries }
        set { storage.colorPrimaries = newValue }
    }
    open override var colorYCbCrMatrix: String? {
        get { storage.colorYCbCrMatrix }
        set { storage.colorYCbCrMatrix = newValue }
    }
    open override var colorTransferFunction: String? {
        get { storage.colorTransferFunction }
        set { storage.colorTransferFunction = newValue }
    }
}
