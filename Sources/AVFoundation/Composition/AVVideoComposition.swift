import AssetIO
public import Foundation
import MediaTypes

/// How the pictures of several tracks become one: size, frame rate, and what is laid where and when.
///
/// There is no Core Image and no Core Animation here: compositors of one's own, filters and animated layers are not drawn.
open class AVVideoComposition: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
    // Unchecked: only `AVMutableVideoComposition` changes it, which is one thread's.
    var facts = Facts()

    struct Facts {
        var frameDuration = CMTime.zero
        var renderSize = CGSize.zero
        var renderScale: Float = 1
        var sourceTrackIDForFrameTiming = kCMPersistentTrackID_Invalid
        var instructions: [any AVVideoCompositionInstructionProtocol] = []
        var colorPrimaries: String?
        var colorYCbCrMatrix: String?
        var colorTransferFunction: String?
        var sourceSampleDataTrackIDs: [NSNumber] = []
        /// Why it cannot be used, where making it failed.
        var fault: MediaError?
    }

    public override init() {}

    /// Shows an asset as it is: its size once its transform was applied, its frame duration, each enabled video track where its
    /// own transform puts it. Blocks the calling thread while the asset's header is read; what fails then fails who uses it.
    public convenience init(propertiesOf asset: AVAsset) {
        self.init()
        adopt(asset)
    }

    open class func videoComposition(withPropertiesOf asset: AVAsset) async throws -> AVVideoComposition {
        try await OffPool.run {
            let made = AVVideoComposition(propertiesOf: asset)
            if let fault = made.facts.fault { throw AVError(fault) }
            return made
        }
    }

    @preconcurrency
    public class func videoComposition(
        withPropertiesOf asset: AVAsset,
        completionHandler: @escaping @Sendable (AVVideoComposition?, (any Error)?) -> Void
    ) {
        OffPool.queue.async {
            let made = AVVideoComposition(propertiesOf: asset)
            if let fault = made.facts.fault {
                completionHandler(nil, AVError(fault))
            } else {
                completionHandler(made, nil)
            }
        }
    }

    func adopt(_ asset: AVAsset, prototype: AVVideoCompositionInstruction? = nil) {
        do throws(MediaError) {
            let source = try VideoComposition(propertiesNowOf: asset.engine)
            facts.frameDuration = CMTime(source.frameDuration)
            facts.renderSize = source.renderSize
            facts.instructions = source.instructions.map {
                AVVideoCompositionInstruction($0, like: prototype, of: asset)
            }
        } catch {
            facts.frameDuration = CMTime(value: 1, timescale: 30)
            facts.fault = error
        }
    }

    /// From one composed picture to the next.
    open var frameDuration: CMTime { facts.frameDuration }
    /// Invalid: `frameDuration` is what counts.
    open var sourceTrackIDForFrameTiming: CMPersistentTrackID { facts.sourceTrackIDForFrameTiming }
    /// Of the composed pictures, in pixels.
    open var renderSize: CGSize { facts.renderSize }
    /// 1 for whatever reads or exports.
    open var renderScale: Float { facts.renderScale }
    /// One after the other, from 0 on, without gaps.
    open var instructions: [any AVVideoCompositionInstructionProtocol] { facts.instructions }
    open var sourceSampleDataTrackIDs: [NSNumber] { facts.sourceSampleDataTrackIDs }

    // MARK: Colour: nil, as the first track's

    open var colorPrimaries: String? { facts.colorPrimaries }
    open var colorYCbCrMatrix: String? { facts.colorYCbCrMatrix }
    open var colorTransferFunction: String? { facts.colorTransferFunction }

    /// For the engine.
    ///
    /// - Throws: `invalidSettings` for what the engine cannot draw, in words that name it.
    func engine(for tracks: [AssetTrack]) throws(MediaError) -> VideoComposition {
        let action = "cannot compose pictures"
        if let fault = facts.fault { throw fault }
        guard renderScale == 1 else {
            throw MediaError(.invalidSettings, action, reason: "renderScale is \(renderScale), not 1")
        }
        var drawn: [VideoCompositionInstruction] = []
        for instruction in instructions {
            guard let instruction = instruction as? AVVideoCompositionInstruction else {
                throw MediaError(
                    .unsupported, action, reason: "an instruction of another class needs a compositor of its own")
            }
            drawn.append(instruction.engine)
        }
        return VideoComposition(
            renderSize: renderSize, frameDuration: try duration(for: tracks), instructions: drawn, color: try color())
    }

    /// Named tracks have the time between their pictures; else it is `frameDuration`.
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
                throw MediaError(.invalidSettings, "cannot compose pictures", reason: "\(name) “\(word)” is not known")
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
        other.facts = facts
        other.facts.instructions = facts.instructions.map { instruction in
            guard let ours = instruction as? AVVideoCompositionInstruction else { return instruction }
            return ours.copy() as? AVVideoCompositionInstruction ?? ours
        }
        return other
    }
}

extension AVVideoCompositionInstruction {
    /// - Parameters:
    ///   - prototype: whose background and post-processing it takes.
    ///   - asset: whose tracks the layers are.
    convenience init(
        _ instruction: VideoCompositionInstruction, like prototype: AVVideoCompositionInstruction?, of asset: AVAsset
    ) {
        self.init()
        if let prototype { facts = prototype.facts }
        facts.timeRange = CMTimeRange(instruction.timeRange)
        let tracks = (try? asset.engine.loadNow(.tracks)) ?? []
        facts.layers = instruction.layerInstructions.map { layer in
            let made = AVVideoCompositionLayerInstruction()
            made.facts.trackID = CMPersistentTrackID(clamping: layer.trackID)
            if let track = tracks.first(where: { $0.id == layer.trackID }) {
                made.facts.transforms.set(CGAffineTransform(track.placement.transform), at: .zero)
            }
            return made
        }
    }
}

open class AVMutableVideoComposition: AVVideoComposition, @unchecked Sendable {
    // Unchecked: as what it inherits from: one thread's at a time.
    /// As `init(propertiesOf:)`, with the background of an instruction.
    public convenience init(propertiesOf asset: AVAsset, prototypeInstruction: AVVideoCompositionInstruction) {
        self.init()
        adopt(asset, prototype: prototypeInstruction)
    }

    public class func videoComposition(
        withPropertiesOf asset: AVAsset, prototypeInstruction: AVVideoCompositionInstruction
    ) async throws -> AVMutableVideoComposition {
        try await OffPool.run {
            let made = AVMutableVideoComposition(propertiesOf: asset, prototypeInstruction: prototypeInstruction)
            if let fault = made.facts.fault { throw AVError(fault) }
            return made
        }
    }

    open override class func videoComposition(withPropertiesOf asset: AVAsset) async throws -> AVMutableVideoComposition
    {
        try await OffPool.run {
            let made = AVMutableVideoComposition(propertiesOf: asset)
            if let fault = made.facts.fault { throw AVError(fault) }
            return made
        }
    }

    open override var frameDuration: CMTime {
        get { facts.frameDuration }
        set { facts.frameDuration = newValue }
    }
    open override var sourceTrackIDForFrameTiming: CMPersistentTrackID {
        get { facts.sourceTrackIDForFrameTiming }
        set { facts.sourceTrackIDForFrameTiming = newValue }
    }
    open override var renderSize: CGSize {
        get { facts.renderSize }
        set { facts.renderSize = newValue }
    }
    open override var renderScale: Float {
        get { facts.renderScale }
        set { facts.renderScale = newValue }
    }
    open override var instructions: [any AVVideoCompositionInstructionProtocol] {
        get { facts.instructions }
        set { facts.instructions = newValue }
    }
    open override var sourceSampleDataTrackIDs: [NSNumber] {
        get { facts.sourceSampleDataTrackIDs }
        set { facts.sourceSampleDataTrackIDs = newValue }
    }
    open override var colorPrimaries: String? {
        get { facts.colorPrimaries }
        set { facts.colorPrimaries = newValue }
    }
    open override var colorYCbCrMatrix: String? {
        get { facts.colorYCbCrMatrix }
        set { facts.colorYCbCrMatrix = newValue }
    }
    open override var colorTransferFunction: String? {
        get { facts.colorTransferFunction }
        set { facts.colorTransferFunction = newValue }
    }
}
